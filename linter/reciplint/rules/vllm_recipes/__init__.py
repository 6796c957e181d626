"""Rules on repositories of vLLM recipes."""
