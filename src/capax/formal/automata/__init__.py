"""Finite automata: regular expressions, DFAs, NFAs, syntactic monoids, cascades, and the class of a language."""
