"""Theorems on composing functions."""
