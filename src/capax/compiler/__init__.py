"""From a program to the weights of a transformer: `pipeline.py` calls the passes in order, a folder each.

`capax.compile` is the function of `compile.py`.
"""
