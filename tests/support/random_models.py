"""Random models of every kind, small, for properties that hold of all models."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from capax.model.model import Model
from capax.model.numbers import Fixed, Float, Integer, parse
from capax.model.parts import (
    ACTIVATIONS,
    ATTENTION_KINDS,
    MASKS,
    Affine,
    AnyHead,
    Block,
    Head,
    Mlp,
    Norm,
    Origin,
    PairSink,
    Readout,
    Sink,
    TensorHead,
)
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Decoding, Fractions, Nearest, Numbers, Vocabulary, token_key

SYSTEMS = ("float64", "float32", "float16", "bfloat16", "fixed:16.8", "integer:8,10,8")
FUNCTIONS = ("1", "i", "1/(i+1)", "(-1)^i", "[i%3=1]", "i%4", "sin(i*0.5)")

Arrays = Callable[..., Any]

texts = st.text(max_size=6)
atoms = st.one_of(texts, st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.booleans())
plain_data = st.recursive(
    st.one_of(st.none(), atoms, st.floats()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
origins = st.builds(Origin, texts, st.none() | texts)
finite = st.floats(-1e6, 1e6)


def arrays_of(numbers: str, seed: int) -> Arrays:
    """A source of random arrays whose numbers are of a system; many are 0 or 1."""
    rng = np.random.default_rng(seed)

    def make(*shape: int) -> Any:
        drawn = np.where(rng.random(shape) < 0.5, rng.integers(-1, 2, shape), rng.normal(size=shape))
        match parse(numbers):
            case Float("float64"):
                return drawn
            case Float("bfloat16"):
                return (drawn.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
            case Float("float16"):
                return drawn.astype(np.float16).astype(np.float32)
            case Float():
                return drawn.astype(np.float32)
            case Fixed() | Integer():
                return rng.integers(-100, 100, shape)

    return make


def affine(make: Arrays, inputs: int, outputs: int) -> Affine:
    """A random map."""
    return Affine(make(inputs, outputs), make(outputs))


@st.composite
def heads(draw: st.DrawFn, make: Arrays, d: int) -> AnyHead:
    """A head of either kind."""
    k, v = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    shared: dict[str, Any] = {
        "mask": draw(st.sampled_from(MASKS)),
        "scale": draw(st.sampled_from([1, 1.0, 0.5, 2048.0])),
        "name": draw(texts),
        "origin": draw(st.none() | origins),
    }
    if draw(st.integers(0, 4)) == 0:
        q, k1, k2 = (affine(make, d, k) for _ in range(3))
        pair = PairSink(make(k), make(k), make(v), make(v)) if draw(st.booleans()) else None
        return TensorHead(q, k1, k2, affine(make, d, v), affine(make, d, v), make(v, d), sink=pair, **shared)
    sink = Sink(make(k), make(v)) if draw(st.booleans()) else None
    kind = draw(st.sampled_from(ATTENTION_KINDS))
    q, key = affine(make, d, k), affine(make, d, k)
    return Head(q, key, affine(make, d, v), make(v, d), attention=kind, sink=sink, **shared)


@st.composite
def mlps(draw: st.DrawFn, make: Arrays, d: int) -> Mlp:
    """An MLP of one or two hidden stages, with or without named units."""
    stages = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    sizes = [d, *stages, d]
    maps = tuple(affine(make, a, b) for a, b in pairwise(sizes))
    named = draw(st.booleans())
    units = tuple(tuple(draw(origins) for _ in range(stage)) for stage in stages) if named else ()
    return Mlp(maps, draw(st.sampled_from(ACTIVATIONS)), units)


@st.composite
def norms(draw: st.DrawFn, make: Arrays, d: int) -> Norm | None:
    """A norm, or none."""
    kind = draw(st.sampled_from([None, None, "layer", "rms"]))
    return None if kind is None else Norm(kind, make(d), make(d), draw(st.sampled_from([1e-5, 0.0, 1])))


@st.composite
def decodings(draw: st.DrawFn) -> Decoding:
    """A decoding of any kind."""
    values = tuple(draw(st.lists(atoms, min_size=1, max_size=3)))
    places = tuple(sorted(draw(st.sets(finite, min_size=len(values), max_size=len(values)))))
    fractions = Fractions(draw(st.integers(1, 50)), draw(finite))
    integers = Fractions(1, float(draw(st.integers(1, 9))), whole=True)
    return draw(st.sampled_from([Classes(values), Nearest(places, values), Numbers(), fractions, integers]))


@st.composite
def models(draw: st.DrawFn, systems: tuple[str, ...] = SYSTEMS) -> Model:
    """A model of any kind."""
    numbers = draw(st.sampled_from(systems))
    make = arrays_of(numbers, draw(st.integers(0, 2**32)))
    d = draw(st.integers(1, 4))
    tokens = tuple(draw(st.lists(atoms, min_size=1, max_size=4, unique_by=token_key)))
    prefix = tuple(draw(st.lists(st.sampled_from(tokens), max_size=2)))
    longest = draw(st.none() | st.integers(1, 4))
    functions = tuple(draw(st.lists(st.sampled_from(FUNCTIONS), max_size=3)))
    table = make(longest + len(prefix), d) if longest is not None and draw(st.booleans()) else None
    decoding = draw(decodings())
    blocks = tuple(
        Block(
            tuple(draw(st.lists(heads(make, d), max_size=2))),
            make(d),
            draw(st.none() | mlps(make, d)),
            draw(norms(make, d)),
            draw(norms(make, d)),
        )
        for _ in range(draw(st.integers(0, 2)))
    )
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=make(len(tokens), d),
        positions=Positions(functions, make(len(functions), d), table),
        blocks=blocks,
        readout=Readout(
            affine(make, d, decoding.outputs), draw(norms(make, d)), tuple(draw(st.lists(texts, max_size=2)))
        ),
        decoding=decoding,
        names=tuple(draw(st.lists(texts, min_size=d, max_size=d))),
        numbers=numbers,
        input_mlp=draw(st.none() | mlps(make, d)),
        max_length=longest,
        min_length=draw(st.integers(0, 1)),
        prefix=prefix,
        norm_place=draw(st.sampled_from(["before", "after"])),
        output_weights=draw(st.sampled_from(["softmax", "sparsemax"])),
        provenance=Provenance.from_json(draw(st.dictionaries(st.text(max_size=4), plain_data, max_size=2))),
    )
