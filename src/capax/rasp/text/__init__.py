"""The text language: grammar, parser, scopes, lowering to nodes, and the printer."""
