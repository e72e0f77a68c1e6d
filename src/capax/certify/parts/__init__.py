"""What is proved of each part of a model: heads, the residual stream, decoding."""
