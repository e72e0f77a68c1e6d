"""Interval arithmetic under a model of floating point."""
