"""Rewrites from program to equal program: a table of rules, and the preparation for compiling."""
