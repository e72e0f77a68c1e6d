"""Programs written for other RASP systems: `tracr`, `raspy` and `nprasp` have the names that those have.

Each gives expressions over Python functions (`expression.py`), which are run as they are (`interpret.py`), or turned
into capax programs for given tokens and lengths (`translate.py`); functions become operations where they are nothing
else, and tables over the values that their operands can have where they are.
"""
