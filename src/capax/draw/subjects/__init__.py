"""One file for each kind of thing that has a picture."""
