"""A certificate checked again, from the weights and the program in the file."""
