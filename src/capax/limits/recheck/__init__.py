"""A second look at witnesses, by code that shares nothing with the searches that found them."""
