"""The screen of the reference implementation: its formats, its messages, its names."""
