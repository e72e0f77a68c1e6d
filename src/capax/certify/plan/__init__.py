"""The plan for the outside checker: what is hard to find about a proof, and no numbers of it."""
