"""Decoders of Turing machines: every step, every way of running them, and their exports."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.app.files.exports import export
from capax.errors import CapaxError
from capax.formal.turing.machine import TuringMachine, random_machine, steps
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.formal.turing.tapes import TapesMachine, interleaved, on_one_tape
from capax.model.adapt.make_plain import why_not_plain
from capax.model.export.export_check import random_words
from capax.model.export.target import target
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.model.run.cache import array_store
from capax.model.run.lookup import key_store
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.follow import follow
from capax.theorems.turing.parts.hash import hash_decoder
from capax.theorems.turing.parts.tokens import ChainTokens
from tests.support.outcomes import count_outcome, least_share

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

FORMS = {
    "hard": {},
    "float32": {"numbers": "float32"},
    "softmax": {"attention": "softmax"},
    "plain": {"attention": "softmax", "positions": 90, "table": True},
    "soft float32": {"attention": "softmax", "numbers": "float32", "cells": 8},
}


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def right_tokens(made: TuringMachine, word: str, most: int) -> list[str]:
    """The machine's own chain of tokens."""
    tokens = ChainTokens(made)
    found = [tokens.action_tokens[s.action] for s in itertools.islice(steps(made, word), most)]
    return found if len(found) == most else [*found, tokens.halt]


@pytest.mark.parametrize("form", FORMS)
@least_share("all steps", 0.15)
@settings(max_examples=30)
@given(seed=st.integers(0, 10**9), word=st.text("01", max_size=6), states=st.integers(1, 6))
def test_decoders_take_every_step(form: str, seed: int, word: str, states: int) -> None:
    """All steps of random machines, the halt included, unless the head leaves the cells, which is refused."""
    made = random_machine(states, 3, seed)
    model = decoder(made, **FORMS[form])  # type: ignore[arg-type]
    assert model.max_length is not None
    most = min(40, model.max_length - len(word))
    try:
        found = follow(model, made, word, most)
    except CapaxError as error:
        assert form == "soft float32"
        assert error.data["cell"] in (9, -9)  # noqa: PT017
        count_outcome("out of cells")
        return
    count_outcome("all steps")
    assert list(found.tokens) == right_tokens(made, word, most)
    assert found.agrees


@pytest.mark.parametrize("form", FORMS)
def test_the_cache_the_scan_and_a_whole_run_agree(form: str) -> None:
    """Generation with lookup, with scanned keys, and the answers of one run on the whole chain are the same."""
    for seed in range(6):
        made = random_machine(4, 3, seed)
        model = decoder(made, **FORMS[form])  # type: ignore[arg-type]
        word, most = "0", min(60, (model.max_length or 0) - 1)
        if form == "soft float32":
            most = 6
        chain = [str(t) for t in model.generate(ChainTokens(made).prompt(word), most, stop=ChainTokens(made).halt)]
        assert follow(model, made, word, most, make_store=array_store).tokens == tuple(chain)
        whole = model([*ChainTokens(made).prompt(word), *chain[:-1]])
        assert whole[len(word) :] == chain


def test_the_lookup_past_the_scan_gives_the_machines_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a number of places on keys are looked up; the champion of five states goes on as it should."""
    monkeypatch.setattr(key_store, "PLAIN", 1_000)
    found = follow(decoder(machine("bb5"), numbers="float32", cells=1_000), machine("bb5"), "", 1_500)
    assert found.agrees
    assert found.steps == 1_500


@pytest.mark.deep
def test_the_lookup_past_16_384_places_gives_the_machines_steps() -> None:
    """The same where the lookup begins for users."""
    found = follow(decoder(machine("bb5"), numbers="float32", cells=1_000), machine("bb5"), "", 17_000)
    assert key_store.PLAIN < 17_000
    assert found.agrees
    assert found.steps == 17_000


@pytest.mark.parametrize(("name", "word"), [("bb4", ""), ("increment", "1011"), ("copy", "abb"), ("tag", "*10;1=yx")])
def test_machines_that_come_with_capax(name: str, word: str) -> None:
    """They run in every form that has the room."""
    made = machine(name)
    for model in (decoder(made), decoder(made, attention="softmax"), hash_decoder(made)):
        found = follow(model, made, word, 110)
        assert found.agrees
        assert found.run.halted == (name != "tag")


def test_two_tapes_in_a_decoder() -> None:
    """The reduction to one tape runs, too."""
    several = read_machine(machine_source("reverse2"))
    assert isinstance(several, TapesMachine)
    made = on_one_tape(several)
    found = follow(decoder(made), made, interleaved(several, "01"), 400)
    assert found.agrees
    assert found.run.accepted


NEAR = {
    "hard": {"cells": 5},
    "float32": {"numbers": "float32", "cells": 5, "positions": 90},
    "softmax": {"attention": "softmax", "cells": 5, "positions": 90},
    "plain": {"attention": "softmax", "cells": 5, "positions": 90, "table": True},
    "hash": {"cells": 5, "positions": 90},
}


BEYOND = 36
"""Steps in which many machines leave five cells."""


@pytest.mark.parametrize("form", NEAR)
@least_share("within", 0.1)
@least_share("beyond", 0.1)
@settings(max_examples=30)
@given(seed=st.integers(0, 10**9), word=st.text("01", max_size=4))
def test_beyond_its_cells_a_decoder_says_so_by_itself(form: str, seed: int, word: str) -> None:
    """Whoever runs it, from the step on at which the head has left the cells there is but one answer."""
    made = random_machine(3, 3, seed)
    model = (hash_decoder if form == "hash" else decoder)(made, **NEAR[form])  # type: ignore[arg-type, operator]
    tokens = ChainTokens(made)
    right = right_tokens(made, word, BEYOND)
    cells = itertools.accumulate((tokens.actions[t].move for t in right if t != tokens.halt), initial=1)
    near = sum(1 for _ in itertools.takewhile(lambda cell: abs(cell) <= 5, cells))
    got = [str(t) for t in model.generate(tokens.prompt(word), BEYOND, stop=tokens.halt)]
    count_outcome("beyond" if near < len(right) else "within")
    assert got == ([*right[:near], *[tokens.far] * (BEYOND - near)] if near < len(right) else right)


def test_plain_decoders_are_plain() -> None:
    """What exports need."""
    assert why_not_plain(decoder(machine("bb2"), attention="softmax", positions=40, table=True)) is None
    assert why_not_plain(decoder(machine("bb2"))) is not None


def test_a_saved_decoder_goes_on() -> None:
    """Limits and marks travel in the file."""
    made = machine("bb3")
    again: Model = from_bytes(to_bytes(decoder(made)), "x")
    assert follow(again, made, "", 50).agrees


def test_a_stock_class_prints_the_steps(tmp_path: Path) -> None:
    """The export to Hugging Face is a stock model whose pipeline generates the machine's chain."""
    from transformers import pipeline

    made = machine("increment")
    model = decoder(made, attention="softmax", positions=40, table=True)
    export(model, str(tmp_path / "out"), target("hf"), words=60)
    generate = pipeline("text-generation", model=str(tmp_path / "out"), dtype="auto")
    for word in ("", "1011", "111"):
        prompt = " ".join(ChainTokens(made).prompt(word))
        (found,) = generate(prompt, max_new_tokens=30, return_full_text=False)
        assert [*found["generated_text"].split(), "<halt>"] == right_tokens(made, word, 30)


def test_a_decoder_for_millions_of_places_is_exported_and_tried_on_fewer() -> None:
    """The words on which an export is tried fit into memory, however long a model's words may be."""
    model = decoder(machine("bb2"))
    assert model.max_length == 31_635_420
    assert max(map(len, random_words(model, 40, 0))) == 2_048


@pytest.mark.deep
@pytest.mark.parametrize("part", range(20))
def test_two_thousand_random_machines(part: int) -> None:
    """100 machines in each part, of up to 8 states and 5 symbols, 250 steps each, in hard attention and both floats.

    Every tenth machine also runs with softmax and by hashes, as far as these go.
    """
    for seed in range(100 * part, 100 * part + 100):
        made = random_machine(1 + seed % 8, 2 + seed % 4, seed, halting=0.02)
        for numbers in ("float64", "float32"):
            assert follow(decoder(made, numbers=numbers), made, "0" * (seed % 5), 250).agrees, seed
        if seed % 10 == 0:
            for model in (decoder(made, attention="softmax"), hash_decoder(made, positions=130)):
                assert follow(model, made, "0" * (seed % 5), 120).agrees, seed


@pytest.mark.deep
def test_a_hundred_thousand_steps() -> None:
    """The champion of five states, in float64 and float32."""
    for options in ({}, {"numbers": "float32", "cells": 1_000}):
        assert follow(decoder(machine("bb5"), **options), machine("bb5"), "", 100_000).agrees  # type: ignore[arg-type]
