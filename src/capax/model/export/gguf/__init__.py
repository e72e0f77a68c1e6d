"""Models as GGUF files."""
