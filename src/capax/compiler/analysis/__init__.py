"""Pass 1: the values every node can take on the domain, and the errors it can raise."""
