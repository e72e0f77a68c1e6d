"""What is given for the parts of a model: arrays become the part's own, and what does not fit is refused."""

from typing import Any

import numpy as np

from capax.errors import CapaxError


def require(fits: bool, what: str) -> None:
    """Raises an error that says what does not fit, unless it does."""
    if not fits:
        raise CapaxError("bad-model", what, hint="`help` of the part tells the shapes and the choices")


def own(part: Any, *names: str) -> None:
    """Replaces the arrays of a frozen part by read-only ones that nobody else can write to; lists become arrays.

    An array that is read-only all the way down, as those of other parts and of files are, is kept without a copy.
    """
    for name in names:
        given = getattr(part, name)
        try:
            array = np.asarray(given)
        except ValueError:
            array = np.asarray(None)
        require(array.dtype.kind in "fiu", f"{name} of {type(part).__name__} is not an array of numbers")
        if array is not given or _is_writable(array):
            array = array.copy()
            array.setflags(write=False)
        object.__setattr__(part, name, array)


def _is_writable(array: Any) -> bool:
    """Whether an array, or one whose memory it shares, can be written to."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None and not memoryview(array).readonly
