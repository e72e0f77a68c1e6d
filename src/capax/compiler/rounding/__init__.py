"""Pass 2: whether the number system holds every value exactly enough."""
