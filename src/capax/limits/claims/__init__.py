"""What a model says of itself before it is run as a protocol or fooled: its task, its token layout, its numbers."""
