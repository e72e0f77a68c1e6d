"""Shapes as SVG, HTML and terminal text."""
