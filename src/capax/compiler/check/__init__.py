"""Pass: the model compared with the interpreter, and words that raise errors."""
