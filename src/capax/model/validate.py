"""Checks of the parts of a model: arrays become read-only, and what does not fit is an error."""

from typing import Any

import numpy as np

from capax.errors import CapaxError


def require(fits: bool, what: str) -> None:
    """Raises an error that says what does not fit, unless it does."""
    if not fits:
        raise CapaxError("bad-model", what, hint="see help() of the part for its shapes and choices")


def freeze_arrays(part: Any, *names: str) -> None:
    """Replaces the arrays of a frozen part by read-only copies; lists become arrays.

    An array that is read-only all the way down, as those of other parts and of files are, is kept without a copy.
    """
    for name in names:
        value = getattr(part, name)
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        require(array.dtype.kind in "fiu", f"{name} of {type(part).__name__} is not an array of numbers")
        if array is not value or _is_writable(array):
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
