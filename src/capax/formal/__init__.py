"""Formal languages, automata, logics, circuits, Turing machines and n-gram models, with examples to try them on.

Nothing here knows of transformers.
"""
