"""Theorems on formal languages."""
