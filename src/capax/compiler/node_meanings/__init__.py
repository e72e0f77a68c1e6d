"""What a compiled model's parts stand for: notes on nodes, their names, and variables with their values."""
