"""Arithmetic on arrays in each number system, and on single numbers for the definition."""
