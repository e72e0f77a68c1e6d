"""Models that were trained elsewhere, from the files that other libraries write."""
