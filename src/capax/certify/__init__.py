"""Proof that a model's weights compute a program: from the weights and the program's text alone.

This room imports no module of the compiler, which may use it but is not used by it. Both use the language, its
rewriting of programs above all: docs/explanation/certificates.md lists what is shared, and trusted.
"""
