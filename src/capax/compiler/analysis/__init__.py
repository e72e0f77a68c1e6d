"""Pass: the values that every node can take on the domain, and the errors that it can raise."""
