"""What the literature says of a language and transformers, and the ways from a formal object to a model."""
