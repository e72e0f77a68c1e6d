"""Part of the plan: values as numbers in the residual stream, and functions of them as ReLU units."""
