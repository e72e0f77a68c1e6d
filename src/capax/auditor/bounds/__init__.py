"""Bounds: the answers of a model with one attention layer on all words of a length at once, proved or refuted.

The attention's output is a fraction whose numerator and denominator are sums over positions, so its greatest value in
a direction over all words of a class is found exactly (`oracle`). Linear forms with errors carry it through norms and
MLPs (`forms`), classes whose bound is too low are cut (`cut`), and rounding is bounded for a whole class (`rounding`).
"""
