"""Decoders of Turing machines: every step of random machines, both runtimes, the limits, chance, and exports."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.app.files.exports import export
from capax.errors import CapaxError
from capax.formal.turing.machine import Action, TuringMachine, run, steps
from capax.formal.turing.machines import machine_source
from capax.formal.turing.random_machines import random_chances, random_machine
from capax.formal.turing.read import read_machine
from capax.formal.turing.tapes import TapesMachine, interleaved, on_one_tape
from capax.model.adapt.plain import why_not_plain
from capax.model.export.check import random_words
from capax.model.export.registry import target
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.model.run.cache import array_store
from capax.theorems.turing.parts.alphabet import without_new_symbols
from capax.theorems.turing.parts.attention_targets import looks
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.follow import follow
from capax.theorems.turing.parts.hash import hash_decoder, hash_limits
from capax.theorems.turing.parts.limits import Limits, limits, most_cells, most_places
from capax.theorems.turing.parts.probabilistic import same_chains, sampled_chain
from capax.theorems.turing.parts.stateless import without_states
from capax.theorems.turing.parts.tokens import Tokens
from capax.theorems.turing.parts.unrolled import tape, unrolled

FORMS = {
    "hard": {},
    "float32": {"numbers": "float32"},
    "softmax": {"attention": "softmax"},
    "plain": {"attention": "softmax", "places": 90, "table": True},
    "soft float32": {"attention": "softmax", "numbers": "float32", "cells": 8},
}


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def right_tokens(made: TuringMachine, word: str, most: int) -> list[str]:
    """The machine's own chain of tokens."""
    tokens = Tokens(made)
    found = [tokens.action_tokens[s.action] for s in itertools.islice(steps(made, word), most)]
    return found if len(found) == most else [*found, tokens.halt]


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10**9), word=st.text("01", max_size=6), states=st.integers(1, 6))
def test_decoders_take_every_step(form: str, seed: int, word: str, states: int) -> None:
    """All steps of random machines, the halt included, unless the head leaves the cells, which is refused."""
    made = random_machine(states, 3, seed)
    model = decoder(made, **FORMS[form])  # type: ignore[arg-type]
    assert model.max_length is not None
    most = min(80, model.max_length - len(word))
    try:
        found = follow(model, made, word, most)
    except CapaxError as error:
        assert form == "soft float32"
        assert error.data["cell"] in (9, -9)  # noqa: PT017
        return
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
        chain = [str(t) for t in model.generate(Tokens(made).prompt(word), most, stop=Tokens(made).halt)]
        assert follow(model, made, word, most, make_store=array_store).tokens == tuple(chain)
        whole = model([*Tokens(made).prompt(word), *chain[:-1]])
        assert whole[len(word) :] == chain


def test_the_lookup_past_the_scan_gives_the_machines_steps() -> None:
    """From 16,384 places on keys are looked up; the champion of five states goes on as it should."""
    found = follow(decoder(machine("bb5"), numbers="float32", cells=1_000), machine("bb5"), "", 17_000)
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


@given(st.integers(0, 10**9), st.text("01", max_size=3))
def test_hashes_take_every_step(seed: int, word: str) -> None:
    """The decoder without positions, up to its own limits."""
    made = random_machine(3, 3, seed)
    model = hash_decoder(made)
    assert model.max_length is not None
    assert model.positions.table is None
    assert not model.positions.functions
    most = model.max_length - len(word) - 2
    assert list(follow(model, made, word, most).tokens) == right_tokens(made, word, most)


@pytest.mark.parametrize("numbers", ["float32", "float64"])
def test_places_are_found_up_to_the_limit(numbers: str) -> None:
    """At the most cells, the scores of layer 2 single out the cell for every place; far beyond they do not."""
    kind = np.dtype(numbers).type

    def found(h: int, places: np.ndarray) -> bool:  # type: ignore[type-arg]
        j = np.arange(max(0, h - 40), h + 40).astype(kind)
        for n in places:
            mean, r = kind(h / n), kind(1 / n)
            scores = kind(2) * mean * j - r * (j * j)
            if (scores == scores.max()).sum() != 1 or j[scores.argmax()] != h:
                return False
        return True

    top = most_cells("hard", numbers)
    random = np.random.default_rng(0)
    for h in [*random.integers(1, top + 1, 60).tolist(), top]:
        assert found(h, random.integers(h + 1, 8 * h + 8, 60))
    assert not found(8 * top, random.integers(8 * top + 1, 64 * top, 300))


def test_the_last_write_wins_up_to_the_limit() -> None:
    """The scores of layer 3 of neighbouring places are different numbers at the most places, and not far beyond."""
    for kind, digits in ((np.float32, 24), (np.float64, 53)):
        top = most_places("hard", np.dtype(kind).name, 10)
        assert top == 2 ** (digits - 2)
        for n, apart in ((top, True), (8 * top, False)):
            j = np.arange(n - 1000, n).astype(kind)
            scores = kind(kind(1 / n) / 2) * j
            assert bool((np.diff(scores) > 0).all()) == apart


@pytest.mark.parametrize(
    ("options", "word", "most", "what"),
    [
        ({"numbers": "float32"}, "", 2_000, "places"),
        ({"numbers": "float32", "cells": 20}, "", 1_000, "the head is on cell 21"),
        ({"numbers": "float32", "cells": 20}, "1" * 30, 10, "30 letters"),
        ({"numbers": "float32", "cells": 1_365}, "", 1, "at most 1,364 cells"),
        ({"attention": "softmax", "cells": 30_000, "places": 10**6}, "", 1, "at most 62,549 places"),
    ],
)
def test_beyond_the_limits_it_refuses(options: dict[str, object], word: str, most: int, what: str) -> None:
    """A chain that is too long, a head that goes too far, a word that is too long, and limits that cannot be had."""
    made = TuringMachine("_", "right", machine("bouncer").rules, ("1",))
    with pytest.raises(CapaxError, match=what) as caught:
        follow(decoder(made, **options), made, word, most)  # type: ignore[arg-type]
    assert caught.value.code == "word-length"


def test_a_float32_decoder_drifts_where_it_would_not_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the cells that are allowed, a decoder that is made for more goes wrong: the limit is not for nothing."""
    made = TuringMachine("_", "go", {("go", "_"): Action("1", 1, "go")}, ())
    with pytest.raises(CapaxError, match="the head is on cell 1,365"):
        follow(decoder(made, numbers="float32", cells=1_364), made, "", 9_000)
    monkeypatch.setattr("capax.theorems.turing.parts.decoder.limits", lambda *_: Limits(10**6, 10**6))
    assert not follow(decoder(made, numbers="float32"), made, "", 9_000).agrees


NEAR = {
    "hard": {"cells": 5},
    "float32": {"numbers": "float32", "cells": 5, "places": 90},
    "softmax": {"attention": "softmax", "cells": 5, "places": 90},
    "plain": {"attention": "softmax", "cells": 5, "places": 90, "table": True},
    "hash": {"cells": 5, "places": 90},
}


@pytest.mark.parametrize("form", NEAR)
@given(seed=st.integers(0, 10**9), word=st.text("01", max_size=4))
def test_beyond_its_cells_a_decoder_says_so_by_itself(form: str, seed: int, word: str) -> None:
    """Whoever runs it, from the step on at which the head has left the cells there is but one answer."""
    made = random_machine(3, 3, seed)
    model = (hash_decoder if form == "hash" else decoder)(made, **NEAR[form])  # type: ignore[arg-type, operator]
    tokens = Tokens(made)
    right = right_tokens(made, word, 60)
    cells = itertools.accumulate((tokens.actions[t].move for t in right if t != tokens.halt), initial=1)
    near = sum(1 for _ in itertools.takewhile(lambda cell: abs(cell) <= 5, cells))
    got = [str(t) for t in model.generate(tokens.prompt(word), 60, stop=tokens.halt)]
    assert got == [*right[:near], *[tokens.far] * (60 - near)] if near < len(right) else right


def test_limits_are_what_the_documentation_says() -> None:
    """The figures that are printed elsewhere."""
    shown = {(a, n): limits(a, n).cells for a in ("hard", "softmax") for n in ("float64", "float32")}
    assert shown == {
        ("hard", "float64"): 31_635_421,
        ("hard", "float32"): 1_364,
        ("softmax", "float64"): 38_302,
        ("softmax", "float32"): 47,
    }
    assert hash_limits("float64", 42).cells == 145
    assert hash_limits("float32", 42).cells == 5


def test_heads_look_where_they_should() -> None:
    """The lookups of layer 2 are at the cell's number, that of layer 3 at the last write to it."""
    made = machine("bb4")
    chain = right_tokens(made, "", 60)
    seen = looks(decoder(made), [*Tokens(made).prompt(""), *chain[:-1]])
    cell, last = 1, {}
    for number, step in enumerate(itertools.islice(steps(made, ""), 60), 1):
        mean, right, left, write = seen[number]
        assert cell == step.cell + 1
        assert mean.place is None or number <= 1
        assert (right.place, left.place) == (max(cell, 0), max(-cell, 0))
        assert write.place == last.get(cell, 0)
        last[cell] = number + 1
        cell += step.action.move


def test_plain_decoders_are_plain() -> None:
    """What exports need."""
    assert why_not_plain(decoder(machine("bb2"), attention="softmax", places=40, table=True)) is None
    assert why_not_plain(decoder(machine("bb2"))) is not None


def test_a_saved_decoder_goes_on() -> None:
    """Limits and marks travel in the file."""
    made = machine("bb3")
    again: Model = from_bytes(to_bytes(decoder(made)), "x")
    assert follow(again, made, "", 50).agrees


@given(st.integers(0, 10**9), st.text("01", max_size=4), st.integers(1, 8))
def test_without_a_chain_a_layer_is_a_step(seed: int, word: str, count: int) -> None:
    """The encoder with a layer for each step has the machine's tape, head and state after them."""
    made = random_machine(3, 3, seed)
    cells = unrolled(made, count)(tape(made, word, count))
    after = run(made, word, count)
    right = [after.tape.get(place - count - 1, made.blank) for place in range(len(cells))]
    right[after.cell + count + 1] = f"{after.state}:{right[after.cell + count + 1]}"
    assert cells == right


def test_states_are_needed_in_tokens() -> None:
    """Two steps look alike without them; a machine with one state needs none."""
    assert not without_states(machine("bb4"), [""], 100)
    assert without_states(random_machine(1, 3, 1), ["0110"], 100)


def test_new_symbols_are_needed() -> None:
    """No way to write the actions of increment with 0 and 1 works; a machine that only ever goes right needs none."""
    found = without_new_symbols(machine("increment"))
    assert not found
    assert found.figures == {"ways": 32, "ways that fail": 32}
    on = TuringMachine("_", "go", {("go", s): Action("0", 1, "go") for s in "01_"}, ("0", "1"))
    assert without_new_symbols(on)
    assert not without_new_symbols(machine("bb2"))


@given(st.integers(0, 10**6))
def test_refutations_are_true(seed: int) -> None:
    """The two situations read the same, and the machine goes on as is said."""
    made = random_machine(2, 3, seed)
    shown = without_new_symbols(made, longest=2, most=12).counterexample
    if shown is not None:
        assert isinstance(shown, dict)
        assert shown["then"][0] != shown["then"][1]
        assert all(int(one.split()[-2]) + len(one.split("'")[1]) == len(shown["read"]) for one in shown["as"])


def test_a_stock_class_prints_the_steps(tmp_path: Path) -> None:
    """The export to Hugging Face is a stock model whose pipeline generates the machine's chain."""
    from transformers import pipeline

    made = machine("increment")
    model = decoder(made, attention="softmax", places=40, table=True)
    export(model, str(tmp_path / "out"), target("hf"), words=60)
    generate = pipeline("text-generation", model=str(tmp_path / "out"), dtype="auto")
    for word in ("", "1011", "111"):
        prompt = " ".join(Tokens(made).prompt(word))
        (found,) = generate(prompt, max_new_tokens=30, return_full_text=False)
        assert [*found["generated_text"].split(), "<halt>"] == right_tokens(made, word, 30)


def test_a_decoder_for_millions_of_places_is_exported_and_tried_on_fewer() -> None:
    """The words on which an export is tried fit into memory, however long a model's words may be."""
    model = decoder(machine("bb2"))
    assert model.max_length == 31_635_420
    assert max(map(len, random_words(model, 40, 0))) == 2_048


@given(st.integers(0, 10**6), st.sampled_from(["", "0", "00"]))
def test_chains_have_the_machines_probabilities(seed: int, word: str) -> None:
    """Every short chain, and every step of a random long one."""
    made = random_chances(2, 2, seed)
    model = decoder(made)
    assert same_chains(model, made, word, 3)
    assert sampled_chain(model, made, word, 30, seed).agrees


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
            for model in (decoder(made, attention="softmax"), hash_decoder(made, places=130)):
                assert follow(model, made, "0" * (seed % 5), 120).agrees, seed


@pytest.mark.deep
def test_a_hundred_thousand_steps() -> None:
    """The champion of five states, in float64 and float32."""
    for options in ({}, {"numbers": "float32", "cells": 1_000}):
        assert follow(decoder(machine("bb5"), **options), machine("bb5"), "", 100_000).agrees  # type: ignore[arg-type]
