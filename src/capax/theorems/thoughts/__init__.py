"""Finite automata as decoders with chain of thought."""
