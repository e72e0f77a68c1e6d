"""The induction of the bound for several layers, run on a model at toy sizes: transcripts, and sets that shrink."""
