"""The rules about reciplint itself: its suppressions and its own failures."""
