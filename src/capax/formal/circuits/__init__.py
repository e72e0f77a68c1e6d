"""Boolean and threshold circuits."""
