"""Models for other tools: a file for each target, which the registry finds by listing this folder."""
