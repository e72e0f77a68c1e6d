"""Prompts that are too long to run."""

import pytest

from capax import CapaxError, theorems


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("composition", {"n": 10_000, "functions": 64}),
        ("composition-cot", {"n": 5_000, "functions": 64}),
        ("iterated-composition", {"steps": 16, "choices": 1_000}),
    ],
)
def test_prompts_that_nobody_waits_for_are_refused(name: str, at: dict[str, int]) -> None:
    """Before a token of them is made."""
    for run in (theorems.theorem(name).run, theorems.theorem(name).broken):
        with pytest.raises(CapaxError) as raised:
            run(**at)
        assert raised.value.code == "too-large"
