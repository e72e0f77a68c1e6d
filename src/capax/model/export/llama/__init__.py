"""Models for the stock Llama class: RMSNorm, SwiGLU, grouped heads, no biases and no table of positions."""
