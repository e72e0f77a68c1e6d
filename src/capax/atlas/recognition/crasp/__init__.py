"""Formulas of counting logic as RASP programs, as models, and compared with each other."""
