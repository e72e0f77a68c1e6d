"""A transformer as data: what it is made of, how it runs, and how it is kept in a file."""
