"""Checking a suite: everything that its files claim is computed anew or replayed."""
