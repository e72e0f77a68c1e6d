"""Pass 6: the model compared with the interpreter, and words that raise errors."""
