"""What a theorem's file says once: the statement in its docstring, the parameters in a dataclass."""

from dataclasses import dataclass

import pytest

from capax.errors import CapaxError
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.theorem import Theorem, TheoremText, like, parameter, parameters_of, stated
from capax.theorems.languages.first import THEOREM

DOC = """Nothing by one head.

Statement: for all n there is
a model.
Idea: do nothing. Idea of ours.
Cite: Nobody (2024), Nothing.
Scope: exact.
"""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Two parameters."""

    n: int = parameter(3, "the size", 1, 9)
    kind: str = like(Parameter("form", "soft", "a kind", choices=("soft", "hard")))


def test_a_docstring_is_the_statement() -> None:
    """Lines are joined, labels left out, sentences begin with a capital."""
    idea = "do nothing. Idea of ours."
    assert stated(DOC) == TheoremText(
        "Nothing by one head", "For all n there is a model.", idea, "Nobody (2024), Nothing", "Exact."
    )
    assert THEOREM.title == "FIRST by one head"


def test_without_docstrings_the_reason_is_named() -> None:
    """As under python -OO."""
    with pytest.raises(RuntimeError, match="-OO"):
        stated(None)


def test_parameters_are_the_fields_of_a_class() -> None:
    """With the names of the fields; values are checked before an instance is made."""
    assert parameters_of(Parameters) == (
        Parameter("n", 3, "the size", 1, 9),
        Parameter("kind", "soft", "a kind", choices=("soft", "hard")),
    )
    assert isinstance(THEOREM, Theorem)
    at = THEOREM.at(length="7")
    assert (at.attention, at.length) == ("softmax", 7)
    with pytest.raises(CapaxError):
        THEOREM.at(length=0)
    assert THEOREM.build(length=9).max_length == 9
