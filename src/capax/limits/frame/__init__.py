"""What every limit is made of. The files beside this folder are the limits."""
