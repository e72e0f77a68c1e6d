"""Part of the plan: selectors as attention scores, aggregates and widths as heads."""
