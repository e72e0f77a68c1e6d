"""capax: what can a transformer compute, and what can it not?

The public names, on one screen.
"""

from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp.program import Program, Selector, SOp
from capax.rasp.sequence import Matrix, Sequence

__all__ = ["CapaxError", "Matrix", "Notice", "Program", "SOp", "Selector", "Sequence", "Source", "Span"]
