"""Well-known models, by their public descriptions, and what the limits say of models of their sizes."""
