"""Specifications from automata, languages, programs, functions and other models."""
