"""The circuit of a plain model: which part reads which, from the weights alone and by exchanging values."""
