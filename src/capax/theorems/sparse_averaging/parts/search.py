"""The smallest size at which something works."""

from collections.abc import Callable


def smallest(works: Callable[[int], bool], start: int, most: int) -> int | None:
    """A size from `start` to `most` that works while the size before it does not (or is below `start`); None if none.

    Sizes are doubled until one works, then halved into. It is the smallest of all if whatever works at a size works at
    every larger one.
    """
    low, size = start - 1, start
    while not works(size):
        if size >= most:
            return None
        low, size = size, min(2 * size, most)
    while size - low > 1:
        middle = (low + size) // 2
        low, size = (low, middle) if works(middle) else (middle, size)
    return size
