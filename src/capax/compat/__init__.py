"""Programs written for other RASP systems: `tracr`, `raspy` and `nprasp` have the names that those have.

Each gives expressions over Python functions (`expression.py`), which are run as they are (`interpret.py`), or turned
into capax programs for given tokens and lengths (`translate.py`); functions become operations where they are nothing
else, and tables over the values that their operands can have where they are.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capax.compat.lowering.translate import Translation

__all__ = ["to_capax"]


def to_capax(program: Any, vocabulary: Iterable[Any], max_length: int, *, causal: bool = False) -> "Translation":
    """A program for Tracr, raspy or np-rasp as a capax program for words of the vocabulary up to a length.

    The result's `program` is one like any other: it has layers and heads, is drawn and compiled. Calling the result
    runs it with the dialect's values, `result.compile()` makes a model. For np-rasp give a function of one array.

    >>> from capax.compat.raspy import key, query, tokens
    >>> to_capax((key(tokens) == query(tokens)).value(1), "ab", 5).program
    <s-op selector_width(select(tokens, tokens, ==))>
    """
    from capax.compat.lowering.translate import translate  # the compiler needs numpy

    if hasattr(program, "to_core"):
        expression = program.to_core()
    else:
        from capax.compat.np_rasp.traced import trace

        expression = trace(program)
    return translate(expression, vocabulary=vocabulary, max_length=max_length, causal=causal)
