"""Levels of realism: the same program in weights that are harder to read, each with its truth."""
