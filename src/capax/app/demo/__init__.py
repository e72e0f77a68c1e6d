"""`capax demo`."""
