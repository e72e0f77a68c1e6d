"""Certificates of models with a loop, by induction: what is proved of one block holds in every round."""
