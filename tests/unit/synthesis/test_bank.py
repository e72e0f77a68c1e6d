"""The bank has every behaviour of small programs, and its entries do what their pointers say."""

import numpy as np
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.rasp.analysis.schedule import schedule
from capax.rasp.analysis.sublayers import runs_on
from capax.rasp.python.program import SOp
from capax.synthesis.grammar import ValueKind
from capax.synthesis.sketch import Builder, sketch_of
from tests.support.sketches import LARGEST, WORDS, grown_once, row_of, sketches, small_leaves, small_sample


def _values(program: SOp) -> list[list[object]] | None:
    results = program.batch([list(word) for word in WORDS], errors="keep")
    if any(isinstance(result, CapaxError) for result in results):
        return None
    return [list(result) for result in results]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_small_program_has_an_entry_that_is_no_larger(data: st.DataObject) -> None:
    """For random programs of the grammar, made without the bank, by the interpreter's values."""
    kind = data.draw(st.sampled_from([ValueKind.TOKEN, ValueKind.COUNT, ValueKind.TRUTH]))
    sketch = data.draw(sketches(kind, LARGEST))
    assume(sketch.size > 1)
    values = _values(Builder(small_leaves(), small_sample()).program(sketch, "program"))
    assume(values is not None)
    assert values is not None
    flat = [x for row in values for x in row]
    exact = {ValueKind.TOKEN: str, ValueKind.COUNT: int, ValueKind.TRUTH: bool}[kind]
    assume(all(type(x) is exact for x in flat) and (kind is not ValueKind.TOKEN or set(flat) <= {"a", "b", "c", ""}))
    event(f"size {sketch.size}")
    sops = grown_once().bank.sops
    same = (sops.rows == row_of(values, small_sample(), kind)).all(axis=1) & (sops.kinds == int(kind))
    assert same.any(), sketch
    assert sops.sizes[same].min() <= sketch.size


@given(st.integers(0, 10**9))
@settings(max_examples=120, deadline=None)
def test_an_entry_has_the_values_of_its_program(number: int) -> None:
    """For s-ops of the bank: their rows are what the interpreter gives for the program they point to."""
    ground = grown_once()
    entry = number % len(ground.bank.sops)
    kind = ValueKind(int(ground.bank.sops.kinds[entry]))
    sketch = sketch_of(ground.bank, entry, selector=False)
    program = Builder(small_leaves(), small_sample()).program(sketch, "program")
    values = _values(program)
    assert values is not None
    assert sketch.size == ground.bank.sops.sizes[entry]
    assert (row_of(values, small_sample(), kind) == ground.bank.sops.rows[entry]).all()


@given(st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_a_selector_has_the_bytes_of_its_program(number: int) -> None:
    """For selectors of the bank: bit j of a byte says whether the interpreter selects key j."""
    ground, sample = grown_once(), small_sample()
    entry = number % len(ground.bank.selectors)
    sketch = sketch_of(ground.bank, entry, selector=True)
    selector = Builder(small_leaves(), sample)._part(sketch)
    rows = [row for word in WORDS for row in selector(list(word))]
    expected = [sum(1 << j for j, selected in enumerate(row) if selected) for row in rows]
    assert ground.bank.selectors.rows[entry][: sample.size].tolist() == expected


@given(st.integers(0, 10**9), st.sampled_from(["sf", "ss", "ssf"]))
@settings(max_examples=60, deadline=None)
def test_entries_run_on_the_order(number: int, order: str) -> None:
    """With an order of sublayers, every entry's program runs on it."""
    ground = grown_once(order, None, 5)
    entry = number % len(ground.bank.sops)
    program = Builder(small_leaves(order), small_sample()).program(
        sketch_of(ground.bank, entry, selector=False), "program"
    )
    assert runs_on(schedule(program).root, order)


def test_fewer_heads_are_kept_apart() -> None:
    """With one head allowed, every program of the bank has at most one, and there are some that have it."""
    ground = grown_once("sfsf", 1, 5)
    builder = Builder(small_leaves("sfsf"), small_sample())
    rows = np.random.default_rng(0).integers(0, len(ground.bank.sops), 40)
    heads = [
        sum(schedule(builder.program(sketch_of(ground.bank, int(k), selector=False), "program")).heads_merged)
        for k in rows
    ]
    assert max(heads) == 1
