"""Repairs: operations applied to files, proved, and written whole or not at all."""
