"""Pass 4: selectors as attention scores, aggregates and widths as heads."""
