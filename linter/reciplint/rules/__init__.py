"""The rules: one file each, in a folder for its category. See CONTRIBUTING.md for how to add one."""
