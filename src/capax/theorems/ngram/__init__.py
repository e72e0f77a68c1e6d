"""What the theorems on n-gram models share: codes of symbols, heads that look back, an MLP that knows the table."""
