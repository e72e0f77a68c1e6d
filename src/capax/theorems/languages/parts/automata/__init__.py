"""Automata as layers."""
