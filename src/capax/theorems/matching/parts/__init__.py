"""What the matching theorems are built from."""
