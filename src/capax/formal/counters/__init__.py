"""Counter machines that read a symbol in each step."""
