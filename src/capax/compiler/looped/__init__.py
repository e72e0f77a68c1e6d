"""Compiling programs with a loop: one block with shared weights, and what comes before and after it."""
