"""Checks that theorems share: models against tasks and languages, on short and random words."""
