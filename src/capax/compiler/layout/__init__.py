"""Pass 5: planned heads and units laid out in layers, residual slots and weight matrices."""
