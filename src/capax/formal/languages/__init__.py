"""Languages by name, such as `parity`, `dyck-2` or `word-problem-s5`."""
