"""The RASP language: nodes, meaning, text and library."""
