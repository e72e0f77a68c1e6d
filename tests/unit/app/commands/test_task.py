"""`capax task`."""

import pytest

from tests.unit.app.outcome import Capax

PROMPT = "Fayes is to the west of Xaive, Fayes is to the south of Ken, where is Ken with respect to Xaive?"


def test_inputs_are_drawn_from_a_seed(capax: Capax) -> None:
    """The same for the same seed, with their answers."""
    one = capax("task", "match2", "-n", "5", "--modulus", "5", "--count", "3", "--json").json
    assert one == capax("task", "match2", "-n", "5", "--modulus", "5", "--count", "3", "--json").json
    assert [len(sample["answer"]) for sample in one["samples"]] == [5, 5, 5]


def test_a_question_is_answered(capax: Capax) -> None:
    assert capax("task", "spatial-directions", "--text", PROMPT).out == f"{PROMPT}\n-> northwest\n"
    told = capax("task", "spatial-directions", "--text", PROMPT, "--json").json
    assert told["samples"] == [{"word": PROMPT, "answer": "northwest"}]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("spatial-directions", "--text", "Hello?"), "bad-input"),
        (("spatial-directions", "--text", "x" * 100_001), "bad-option"),
        (("match2", "--text", "1 2"), "bad-option"),
        (("match2", "-n", "0"), "bad-option"),
        (("match2", "--seed", "-1"), "bad-option"),
        (("nothing",), "unknown-task"),
    ],
)
def test_wrong_arguments(capax: Capax, args: tuple[str, ...], code: str) -> None:
    done = capax("task", *args)
    assert done.code == 2
    assert done.err.startswith(f"error[{code}]")
