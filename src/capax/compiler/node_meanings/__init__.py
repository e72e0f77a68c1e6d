"""What a compiled model's parts stand for: notes on nodes, and variables with their values."""
