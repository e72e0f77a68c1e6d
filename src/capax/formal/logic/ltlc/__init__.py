"""Temporal logic with counts and numerical predicates of one position: LTL + C[Mon]."""
