"""Weights written by the names of directions."""
