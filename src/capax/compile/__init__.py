"""From a program to the weights of a transformer: one pass per file."""
