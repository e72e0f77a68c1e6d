"""Scoring: how well discovery methods, autoencoders and probes find what is known to be there."""
