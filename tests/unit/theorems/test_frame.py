"""The frame of tasks and theorems: parameters, listing, comparison with a task."""

from dataclasses import replace

import pytest

from capax import CapaxError, tasks, theorems
from capax.model.vocabulary import Classes, Vocabulary
from capax.tasks.base.parameter import Parameter, settle
from capax.tasks.base.task import Task
from capax.theorems.checks import agreement
from examples.previous_token import build

PARAMETERS = (
    Parameter("order", 3, "the order", 2, 9),
    Parameter("share", 0.5, "a share", 0, 1),
    Parameter("kind", "soft", "a kind", choices=("soft", "hard")),
    Parameter("strict", True, "whether"),
)


def test_parameters_are_settled() -> None:
    """Defaults, values and texts, each as its own type."""
    assert settle(PARAMETERS, {}) == {"order": 3, "share": 0.5, "kind": "soft", "strict": True}
    found = settle(PARAMETERS, {"order": "4", "share": 1, "kind": "hard", "strict": "no"})
    assert found == {"order": 4, "share": 1.0, "kind": "hard", "strict": False}
    assert isinstance(found["share"], float)


@pytest.mark.parametrize(
    "given",
    [
        {"order": 1},
        {"order": 10},
        {"order": 3.0},
        {"order": True},
        {"order": "x"},
        {"share": "nan"},
        {"share": 2.0},
        {"kind": "firm"},
        {"strict": 1},
        {"strict": "maybe"},
        {"ordre": 3},
    ],
)
def test_a_wrong_parameter_is_refused(given: dict[str, object]) -> None:
    """Of another type, outside the range, or of another name."""
    with pytest.raises(CapaxError) as raised:
        settle(PARAMETERS, given)
    assert raised.value.code == "bad-option"
    assert raised.value.hint


def test_an_unknown_name_is_refused() -> None:
    """Of a theorem and of a task."""
    for find in (theorems.theorem, tasks.task):
        with pytest.raises(CapaxError) as raised:
            find("frame")
        assert raised.value.code == "unknown-theorem"


def shifted(word: str) -> list[str]:
    """The token before each token."""
    return ["-", *word[:-1]]


SHIFT = Task("shift", "the token before", "words over a, b, c", shifted, lambda random, n: "abc"[:n])


def test_agreement_with_a_task() -> None:
    """The answers of a right model agree, and a wrong model has a counterexample."""
    words = ["a", "ab", "cab"]
    report = agreement(build(), SHIFT, words, "it shifts", seed=0)
    assert report.holds
    assert report.count == 3
    wrong = replace(build(), decoding=Classes(("a", "b", "x", "-")), vocabulary=Vocabulary(("a", "b", "c")))
    report = agreement(wrong, SHIFT, ["ab", "bca"], "it shifts", seed=0)
    assert not report.holds
    assert report.counterexample == {"word": "bca", "model": ["-", "b", "x"], "right": ["-", "b", "c"]}
