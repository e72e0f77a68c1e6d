"""Theorems on n-gram language models."""
