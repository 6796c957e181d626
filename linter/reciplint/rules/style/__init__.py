"""The rules of spelling and repetition."""
