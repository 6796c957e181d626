"""Rules on YAML itself: what any reader of a file would trip over."""
