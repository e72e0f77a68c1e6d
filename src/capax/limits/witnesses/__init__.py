"""Fooling inputs: the search for them, their check, and small models to fool."""
