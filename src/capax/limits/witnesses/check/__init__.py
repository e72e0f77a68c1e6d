"""A second check of witnesses, by code that shares nothing with the search."""
