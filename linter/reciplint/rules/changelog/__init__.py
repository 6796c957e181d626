"""The rules of the performance changelog."""
