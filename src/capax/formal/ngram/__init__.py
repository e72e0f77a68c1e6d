"""n-gram language models: their tables, fitting to a text, and tightness."""
