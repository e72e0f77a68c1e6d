"""Choices: which class is cut next, and how. Nothing here can make a bound false: any choice only costs time.

The cuts themselves are made in `splits`, whose children cover their class whatever is chosen, and what is proved of a
class is decided in `cut`.
"""
