"""Model files: container, header, tensors, and the checks when one is read."""
