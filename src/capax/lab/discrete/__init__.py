"""Networks that are discrete by construction, and the programs that they are."""
