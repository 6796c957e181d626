"""Rules on what a repository's policy allows to be benchmarked."""
