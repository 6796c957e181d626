"""The rules about rows and recipes that must agree with one another."""
