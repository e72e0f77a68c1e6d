"""What every protocol is made of: players, messages as bytes, and the comparison with the whole model."""
