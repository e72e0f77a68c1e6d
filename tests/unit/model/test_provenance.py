"""What a file says about where a model came from: read, kept where it is damaged, and written again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.model.provenance import (
    CompileTarget,
    HeadClaim,
    ImportSource,
    MachineRecord,
    NGramRecord,
    PadsRecord,
    Provenance,
    RecordedDomain,
    StateClaim,
)

WHOLE = Provenance(
    heads=((HeadClaim((1, 2)), HeadClaim((3,), 0)), ()),
    shift=4,
    loop=(StateClaim("x", 2, ("a", "b"), (0.0, 1.0)),),
    target=CompileTarget("hf", ("a table",), "<bos>"),
    program="x = tokens;",
    name="x",
    domain=RecordedDomain(("a", 1), 5, causal=True),
    check={"holds": True},
    errors=({"code": "x"},),
    causal_change={"changes": False},
    assumption="x == 1;",
    certificate={"verdicts": []},
    pads=PadsRecord(1, 2, "_"),
    plan={"version": 1},
    answer="yes or no",
    read="end",
    end_marker="$",
    formula="P a",
    computes="ltl:P a",
    thoughts={"go": "<go>"},
    turing=MachineRecord("<go>", "<halt>", "lookup", 9, 9, sure=True),
    ngram=NGramRecord(3, "<bos>", "<eos>", "chars"),
    layout={"task": "parity", "n": 3},
    unit=0.5,
    settings={"task": "reverse"},
    measured={"loss": 0.1},
    source=ImportSource("gpt2", "GPT2LMHeadModel"),
    extra={"note": "mine"},
)

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def test_every_entry_comes_back() -> None:
    assert Provenance.from_json(WHOLE.to_json()) == WHOLE
    assert None not in [getattr(WHOLE, name) for name in WHOLE.__slots__]


@given(st.sampled_from(sorted(WHOLE.to_json())), JUNK)
def test_a_damaged_entry_is_kept_and_written_again(name: str, value: Any) -> None:
    """Null counts as absent; a domain is read entry by entry."""
    provenance = Provenance.from_json({name: value})
    assert Provenance.from_json(provenance.to_json()) == provenance
    if value is not None and not (name == "domain" and isinstance(value, dict)):
        assert provenance.to_json() == {name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("program", 7),
        ("shift", True),
        ("domain", []),
        ("heads", [[{"computes": ["1"], "part": None}]]),
        ("heads", [[{"computes": [1]}]]),
        ("turing", {"cells": 3}),
        ("ngram", {"order": "3", "padding": "", "end": ""}),
        ("target", {"name": "hf", "added": "x", "sink": None}),
    ],
)
def test_a_damaged_entry_means_nothing(name: str, value: Any) -> None:
    provenance = Provenance.from_json({name: value})
    assert getattr(provenance, name) is None
    assert provenance.extra == {name: value}


def test_a_domain_keeps_its_damaged_entries_apart() -> None:
    domain = Provenance.from_json({"domain": {"alphabet": ["a", None], "max_length": 3, "causal": "no"}}).domain
    assert domain == RecordedDomain(None, 3, extra={"alphabet": ["a", None], "causal": "no"})
