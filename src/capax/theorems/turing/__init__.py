"""Theorems on Turing machines as decoders with chain of thought."""
