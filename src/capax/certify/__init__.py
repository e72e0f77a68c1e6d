"""Proof that a model's weights compute a program: from the weights and the program's text alone.

This room shares nothing with the compiler, which may use it but is not used by it.
"""
