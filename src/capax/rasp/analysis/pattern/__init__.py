"""Attention patterns: the rank that scores for one need, and the selectors that give it."""
