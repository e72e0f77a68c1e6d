"""Selectors over triples as Python values."""

from capax.rasp.ir.triple_nodes import TripleNode
from capax.rasp.python.program import Program


class TripleSelector(Program):
    """A program that gives one boolean per query and pair of keys; made by `select3`, `on_first` and their kin.

    >>> from capax import select3, selector_width, tokens_int
    >>> match = select3(tokens_int, tokens_int, tokens_int, lambda total: total % 7 == 0)
    >>> selector_width(match)([1, 2, 4])
    [2, 2, 2]
    """

    __slots__ = ()
    node: TripleNode
    _kind = "selector over triples"
    _instead = "use `&`, `|` and `~` for and, or and not of selectors"

    def __and__(self, other: "TripleSelector") -> "TripleSelector":
        from capax.rasp.ir.build_triples import expect_triples, triple_and

        return triple_and(self, expect_triples(other))

    def __or__(self, other: "TripleSelector") -> "TripleSelector":
        from capax.rasp.ir.build_triples import expect_triples, triple_or

        return triple_or(self, expect_triples(other))

    def __invert__(self) -> "TripleSelector":
        from capax.rasp.ir.build_triples import triple_not

        return triple_not(self)
