"""What the theorems on n-gram models are built from."""
