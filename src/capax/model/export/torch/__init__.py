"""Export to PyTorch."""
