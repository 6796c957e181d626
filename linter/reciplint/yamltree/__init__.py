"""YAML as its consumers read it: exact spans, every duplicate, aliases and merge keys kept, nothing lost."""
