"""Questions as people write them."""
