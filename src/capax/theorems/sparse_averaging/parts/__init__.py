"""What the theorems on q-sparse averaging share: keys, dual vectors, subsets, models and their measurement.

Throughout, `length` is N, `dimension` is d', keys are an array (N, m) with a row per position, and subsets are
increasing tuples of q positions counted from 0.
"""
