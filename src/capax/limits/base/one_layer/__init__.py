"""What limits of one layer share: the bits of a message, and the error that a short message forces."""
