"""Networks in PyTorch and their training."""
