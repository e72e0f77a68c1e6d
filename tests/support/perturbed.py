"""Models with one number changed, and whether they are still right: to try what certificates let through."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import capax
from capax import (
    aggregate,
    best,
    full_s,
    indicator,
    indices,
    length,
    on_first,
    on_keys,
    on_second,
    select,
    select3,
    selector_width,
    tokens,
    tokens_asis,
    tokens_int,
    where,
)
from capax.certify import verdict_at
from capax.certify.recheck.recheck import spec_of
from capax.compiler.check.agreement import compare, meaning
from capax.compiler.compiled import Compiled
from capax.model.model import Model
from capax.model.parts import Mlp
from capax.model.provenance import Provenance
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SOpNode

BEFORE = select(indices, indices, "<=")
SMALLER = select(tokens_int, tokens_int, "<") | (select(tokens_int, tokens_int, "==") & select(indices, indices, "<"))
EARLIER = select(indices, indices, "<")
BALANCE = aggregate(BEFORE, indicator(tokens == "(") - indicator(tokens == ")"))

PROGRAMS: dict[str, tuple[capax.Program, Any, int]] = {
    "reverse": (aggregate(select(indices, length - 1 - indices, "=="), tokens), "abc", 4),
    "histogram": (selector_width(select(tokens, tokens, "==")), "abc", 5),
    "sort": (aggregate(select(selector_width(SMALLER), indices, "=="), tokens_int), [0, 1, 2], 4),
    "dyck": (
        (aggregate(full_s, indicator(BALANCE < 0)) == 0) & (aggregate(select(indices, length - 1, "=="), BALANCE) == 0),
        "()",
        5,
    ),
    "fraction of previous": (aggregate(BEFORE, indicator(tokens == "a")), "ab", 5),
    "shift with a default": (aggregate(select(indices, indices - 2, "=="), tokens, "-"), "ab", 5),
    "latest greatest": (aggregate(best(BEFORE, tokens_int), indices), [0, 1, 2], 4),
    "last position": (aggregate(best(full_s, indices), tokens), "ab", 4),
    "a string at the first position": (where(indices == 0, aggregate(BEFORE, tokens), "z"), "ab", 3),
    "booleans and numbers": (
        aggregate(full_s, where(tokens == "a", 1, where(tokens == "b", 0, where(tokens == "c", True, False)))),
        "cdab",
        3,
    ),
    "match3": (aggregate(select3(tokens_int, tokens_int, tokens_int, lambda s: s % 3 == 0), 1) > 0, [1, 2], 3),
    "pairs of equal tokens before": (
        selector_width(on_first(EARLIER) & on_second(EARLIER) & on_keys(select(tokens, tokens, "=="))),
        "ab",
        3,
    ),
    "a default among booleans": (aggregate(select(tokens, "a", "=="), tokens_asis == "b", 0) + 1, "bc", 3),
}
"""Each with its alphabet and the length of its longest words."""


@cache
def compiled(name: str, dtype: str = "float32") -> Compiled:
    """A program of the list as a model, with its certificate."""
    program, alphabet, longest = PROGRAMS[name]
    return capax.compile(program, alphabet=alphabet, max_length=longest, dtype=dtype)


def claiming(model: Model, *systems: str) -> Model:
    """The model with the verdicts of some number systems only."""
    claimed = model.provenance.certificate
    kept = [v for v in claimed["verdicts"] if v["numbers"] in systems]
    return with_provenance(model, certificate={**claimed, "verdicts": kept})


def with_provenance(model: Model, **entries: Any) -> Model:
    """The model of a file with other entries about where it came from."""
    return replace(model, provenance=Provenance.from_json({**model.provenance.to_json(), **entries}))


def changed(model: Model, array: str, place: int, by: float) -> Model:
    """The model with one number of one of its arrays changed."""
    head, *path = array.split(".")
    return replace(model, **{head: _put(getattr(model, head), path, place, by)})


def _put(part: Any, path: list[str], place: int, by: float) -> Any:
    if not path:
        made = np.array(part)
        made.flat[place] += made.dtype.type(by)
        return made
    head, *rest = path
    if isinstance(part, tuple):
        return (*part[: int(head)], _put(part[int(head)], rest, place, by), *part[int(head) + 1 :])
    return replace(part, **{head: _put(getattr(part, head), rest, place, by)})


def right(made: Compiled, model: Model, most: int = 1500) -> bool:
    """Whether a model gives the program's answers on words up to the certified length, longest first."""
    words = itertools.chain.from_iterable(
        itertools.product(made.domain.alphabet, repeat=n) for n in range(made.certified_length, 0, -1)
    )
    assert isinstance(made.program.node, SOpNode)
    with np.errstate(all="ignore"):
        return (
            compare(model, meaning(made.program.node, made.domain), list(itertools.islice(words, most))).wrong is None
        )


def still_certified(made: Compiled, model: Model, numbers: str = "float32") -> bool:
    """Whether a model is certified at the length of the one that it was made from, with whatever figures."""
    return verdict_at(model, _spec(made, model), numbers, made.certified_length).length > 0


def _spec(made: Compiled, model: Model) -> OutputSpec:
    """What a model is to compute; read anew only for one of other tokens, since weights have no part in it."""
    assert isinstance(made.program.node, SOpNode)
    same = model.vocabulary is made.model.vocabulary and model.prefix is made.model.prefix
    if not same or model.provenance is not made.model.provenance:
        return spec_of(model, made.program.node, causal=made.domain.causal)
    if made not in _SPECS:
        _SPECS[made] = spec_of(model, made.program.node, causal=made.domain.causal)
    return _SPECS[made]


_SPECS: dict[Compiled, OutputSpec] = {}


def units(model: Model) -> Iterator[tuple[str, list[tuple[str, int]], list[tuple[str, int]]]]:
    """Each hidden unit: its name, and the numbers that make it and that it is read with, as (array, place)."""
    mlps = [("input_mlp", model.input_mlp), *((f"blocks.{k}.mlp", b.mlp) for k, b in enumerate(model.blocks))]
    for name, mlp in mlps:
        if not isinstance(mlp, Mlp):
            continue
        for stage, (one, two) in enumerate(itertools.pairwise(mlp.maps)):
            for unit in range(one.outputs):
                into = [
                    (f"{name}.maps.{stage}.weight", k * one.outputs + unit) for k in np.nonzero(one.weight[:, unit])[0]
                ]
                into.append((f"{name}.maps.{stage}.bias", unit))
                out = [
                    (f"{name}.maps.{stage + 1}.weight", unit * two.outputs + k) for k in np.nonzero(two.weight[unit])[0]
                ]
                yield f"{name}, stage {stage}, unit {unit}", into, out


def heads(model: Model) -> Iterator[tuple[str, dict[str, list[tuple[str, int]]]]]:
    """Each head: its name, and for each of its arrays that is not zero the numbers in it, as (array, place)."""
    arrays = dict(model.arrays())
    for k, block in enumerate(model.blocks):
        for h in range(len(block.heads)):
            prefix = f"blocks.{k}.heads.{h}."
            mine = {a: [(a, int(i)) for i in np.flatnonzero(v)] for a, v in arrays.items() if a.startswith(prefix)}
            yield f"block {k}, head {h}", {a: found for a, found in mine.items() if found}
