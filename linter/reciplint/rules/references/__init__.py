"""The rules about files and labels that name one another."""
