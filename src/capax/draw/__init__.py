"""Pictures: a program on an input becomes a `View`, and a view becomes SVG, HTML or terminal text."""
