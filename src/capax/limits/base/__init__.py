"""What every limit is made of; the files beside this folder are the limits."""
