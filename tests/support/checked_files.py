"""Model files for the outside checker: written, changed and checked."""

import json
import struct
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import capax
from capax import aggregate, best, indices, library, select, selector_width, tokens
from capax.certify.plan.plan import with_plan
from capax.compiler.check.agreement import compare, meaning
from capax.compiler.domain import domain
from capax.model.model import Model
from capax.rasp.text.module import stored_program
from checker import capax_check

KEPT = """
repeat ceil_log2(length) {
    state seen = tokens == "b";
    many = selector_width(select(tokens, "a", ==));
    seen = seen or aggregate(select(indices, indices - 1, ==), seen, False) or many == 2;
}
x = 1 if seen else 0;
"""
"""A loop whose body counts what no round changes."""

CAUSAL = """
repeat 2 {
    state seen = tokens == "b";
    many = selector_width(select(tokens, "a", ==));
    seen = aggregate(full_s, indicator(seen)) > 0.5 or many == 2;
}
x = 1 if seen else 0;
"""
"""A loop with a constant number of rounds, whose answers are others where later positions are hidden."""

SMALL: dict[str, tuple[Callable[[], Any], Any, int, dict[str, Any]]] = {
    "reverse": (lambda: library.reverse, "ab", 4, {}),
    "histogram": (lambda: library.hist_nobos, "abc", 4, {}),
    "sort": (lambda: library.sort(tokens, tokens), "abc", 3, {}),
    "sort of numbers": (lambda: library.sort(capax.tokens_asis, -capax.tokens_asis), (1, 2), 4, {}),
    "parity": (lambda: library.parity, "01", 5, {}),
    "dyck1": (lambda: library.dyck1_ptf, "()", 4, {}),
    "dyck2": (lambda: library.dyck2_ptf, "(){}", 3, {}),
    "dyck2_best": (lambda: library.dyck2_best, "(){}", 3, {"dtype": "float64"}),
    "induction": (lambda: library.induction, "ab", 4, {"causal": True}),
    "distinct": (lambda: library.hist2_nobos, "ab", 4, {}),
    "by frequency": (lambda: library.sort_by_most_freq, "§ab", 4, {}),
    "mean of positions": (lambda: library.average(indices), "ab", 3, {}),
    "mean so far": (lambda: aggregate(select(indices, indices, "<="), capax.tokens_int), (0, 1, 3), 3, {}),
    "first after": (lambda: aggregate(best(select(tokens, "a", "=="), -indices), indices, -1), "ab", 4, {}),
    "joined": (lambda: selector_width(select(tokens, "a", "==") | select(indices, indices, ">")), "ab", 4, {}),
    "match3": (lambda: library.match3, (1, 2, 4), 3, {}),
    "triangles": (lambda: library.in_triangle, (12, 23, 31, 33), 3, {"causal": True}),
    "tables": (lambda: library.addition, "019+", 3, {}),
    "looped": (lambda: library.parity_in_rounds, "01", 4, {}),
    "looped twice": (lambda: library.hop4_in_rounds, "ab", 4, {}),
    "kept in a loop": (lambda: stored_program(KEPT), "ab", 3, {}),
    "causal loop": (lambda: stored_program(CAUSAL), "ab", 3, {"causal": True}),
}
"""Programs with an alphabet, a greatest length and settings, that take little time to check."""


@cache
def small_model(name: str) -> Model:
    """The model of a small program, with its plan."""
    make, alphabet, length, settings = SMALL[name]
    return with_plan(capax.compile(make(), alphabet=alphabet, max_length=length, words=20, **settings).model)


def written(model: Model, folder: Path) -> Path:
    """The file of a model."""
    path = folder / "model.safetensors"
    model.save(path)
    return path


def verdict(path: Path) -> int:
    """The exit code of the checker: 0 proved, 1 not proved, 2 no model's file."""
    capax_check.Work.done = 0
    return capax_check.main([str(path)])


def changed_facts(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The file with another description; the header is written anew, without a digest that fits."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    description = json.loads(header["__metadata__"]["model"])
    change(description)
    header["__metadata__"]["model"] = json.dumps(description)
    return with_header(path, json.dumps(header), data[8 + size :])


def with_header(path: Path, header: str, body: bytes) -> Path:
    """A file with a header and numbers."""
    text = header.encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def is_right(model: Model, program: Any, causal: bool = False) -> bool:
    """Whether a model gives the answers of a program on all words."""
    length, alphabet = model.max_length or 1, model.vocabulary.tokens
    words = [list(word) for n in range(1, length + 1) for word in product(alphabet, repeat=n)]
    return compare(model, meaning(program.node, domain(list(alphabet), length, causal=causal)), words).wrong is None
