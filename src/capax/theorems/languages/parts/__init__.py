"""What the theorems on formal languages are built from."""
