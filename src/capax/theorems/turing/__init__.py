"""Turing machines as decoders: tokens, limits of number systems, weights, and runs beside the machine's own."""
