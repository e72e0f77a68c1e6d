"""Networks that are not transformers, as small JSON files: recurrent ones, and fully connected ones."""
