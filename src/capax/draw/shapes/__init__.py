"""Geometry: views as rectangles, lines and text."""
