"""Theorems on matching tokens: Match2, Match3 and their variants."""
