"""Pass: whether the interpreter's rounding could change an answer."""
