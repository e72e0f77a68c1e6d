"""Export to TransformerLens."""
