"""Turing machines and counter machines: their text format, runs, and random machines."""
