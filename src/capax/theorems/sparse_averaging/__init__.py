"""Theorems on q-sparse averaging."""
