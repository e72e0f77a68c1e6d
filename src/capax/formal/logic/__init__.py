"""Past temporal logic, first-order counting formulas and C-RASP."""
