"""Passes: the planned network laid out in layers and residual slots, and its weight matrices."""
