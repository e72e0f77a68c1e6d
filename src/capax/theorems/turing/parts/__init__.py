"""What the theorems on Turing machines are built from."""
