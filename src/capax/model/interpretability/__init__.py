"""A plain model as a graph of parts, and its circuit: which part reads which, by the weights and by experiment."""
