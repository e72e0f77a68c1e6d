"""Searches for inputs that fool a model: two inputs with equal transcripts and different truths, or a wrong answer."""
