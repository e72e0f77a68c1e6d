"""A model is a value: immutable, printed as its size, compared by content."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.loop import ModelLoop
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, Norm, OracleMap, Origin, Readout, Sink
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Nearest, Vocabulary
from examples.previous_token import build
from tests.support.random_models import models


def test_equal_models_are_made_twice() -> None:
    """Equal content, equal models, whatever the objects."""
    assert build() == build()
    assert hash(build()) == hash(build())
    assert len({build(), build()}) == 1
    assert build() != "a model"


@given(models(), st.data())
def test_any_number_counts(model: Model, data: st.DataObject) -> None:
    """A model with one other number is another model."""
    names = [name for name, array in model.arrays() if array.size]
    name = data.draw(st.sampled_from(names))
    other = changed(model, name, data.draw(st.integers(0, 10**6)))
    assert other != model
    assert other.key() != model.key()


def changed(model: Model, name: str, place: int) -> Model:
    """The model with another number in one array."""

    def at(part: Any, path: list[str]) -> Any:
        if not path:
            made = part.copy()
            made.flat[place % made.size] += 1
            return made
        if isinstance(part, tuple):
            number = int(path[0])
            return (*part[:number], at(part[number], path[1:]), *part[number + 1 :])
        return replace(part, **{path[0]: at(getattr(part, path[0]), path[1:])})

    made: Model = at(model, name.split("."))
    return made


@pytest.mark.parametrize(
    "other",
    [
        {"names": tuple("abcdefg")},
        {"provenance": Provenance()},
        {"provenance": Provenance(program="x = 1;")},
        {"min_length": 0},
        {"max_length": 9},
        {"prefix": ("a",)},
        {"norm_place": "after"},
        {"output_weights": "sparsemax"},
        {"decoding": Classes(("a", "b", "c", "_"))},
        {"vocabulary": Vocabulary(("a", "b", "x"))},
        {"embedding": np.eye(3, 7, dtype=np.float32)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_models_differ_in_everything_else_too(other: dict[str, Any]) -> None:
    """Names, provenance, lengths, meanings, dtypes."""
    assert replace(build(), **other) != build()


def test_models_differ_in_origins_and_token_types() -> None:
    """Where a head comes from, and whether a token is 1, 1.0 or True."""
    model = build()
    head = replace(model.blocks[0].heads[0], origin=Origin("something else"))
    assert replace(model, blocks=(replace(model.blocks[0], heads=(head,)),)) != model
    kinds = [replace(model, vocabulary=Vocabulary(("a", "b", token))) for token in (1, 1.0, True, "1")]
    assert len(set(kinds)) == 4


def test_oracles_are_told_apart() -> None:
    """Two functions are two models, though files could not say so."""
    one, two = (replace(build(), input_mlp=OracleMap(f, "f")) for f in (np.sin, np.cos))
    assert one != two
    assert one == replace(build(), input_mlp=OracleMap(np.sin, "f"))


def test_models_do_not_change() -> None:
    """Neither fields nor numbers nor provenance."""
    model = build()
    with pytest.raises(FrozenInstanceError):
        model.names = ()  # type: ignore[misc]
    for _, array in model.arrays():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(FrozenInstanceError):
        model.provenance.name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        model.provenance.extra["x"] = 1  # type: ignore[index]


@given(models())
def test_arrays_have_their_names(model: Model) -> None:
    """Each array is where its name says, and no name comes twice."""
    found = list(model.arrays())
    assert len({name for name, _ in found}) == len(found)
    for name, array in found:
        part: Any = model
        for step in name.split("."):
            part = part[int(step)] if isinstance(part, tuple) else getattr(part, step)
        assert part is array


def test_wrong_shapes_are_noticed() -> None:
    """When a model is made by hand."""
    wide, norm = Affine(np.zeros((7, 7)), np.zeros(7)), Norm("rms", np.ones(7), np.zeros(7))
    model, head = build(), build().blocks[0].heads[0]
    assert isinstance(head, Head)
    short = Mlp((Affine(np.zeros((3, 2)), np.zeros(2)), Affine(np.zeros((2, 3)), np.zeros(3))))
    wrong: list[tuple[Any, str]] = [
        (lambda: Affine(np.zeros((2, 3)), np.zeros(2)), "a bias of shape"),
        (lambda: Affine(np.zeros(2), np.zeros(2)), "two axes"),
        (lambda: Affine([[1.0], "x"], np.zeros(1)), "not an array of numbers"),  # type: ignore[arg-type]
        (lambda: Mlp((wide,)), "one hidden stage"),
        (lambda: Mlp((wide, Affine(np.zeros((7, 1)), np.zeros(1)))), "as many numbers as it reads"),
        (lambda: Mlp((wide, wide), "tanh"), "unknown activation"),  # type: ignore[arg-type]
        (lambda: replace(norm, gain=np.ones(1)), "of one shape"),
        (lambda: replace(norm, epsilon=-1.0), "epsilon"),
        (lambda: replace(norm, kind="batch"), "unknown norm"),
        (lambda: replace(head, attention="hard"), "unknown attention kind"),
        (lambda: replace(head, mask="past"), "unknown mask"),
        (lambda: replace(head, scale=float("nan")), "scale"),
        (lambda: replace(head, output=np.zeros((1, 1))), "output of a head"),
        (lambda: replace(head, query=Affine(np.zeros((7, 9)), np.zeros(9))), "differ in dimension"),
        (lambda: replace(head, sink=Sink(np.zeros(9), np.zeros(head.value.outputs))), "sink's key"),
        (lambda: Positions((), np.zeros((0, 7)), np.zeros((3, 1))), "table of positions"),
        (lambda: Positions(("i",), np.zeros((2, 7))), "1 position functions"),
        (lambda: Vocabulary(("a", "a")), "twice"),
        (lambda: Nearest((1.0, 0.0), ("a", "b")), "do not increase"),
        (lambda: replace(model, embedding=np.zeros((2, 7))), "embedding"),
        (lambda: replace(model, input_mlp=short), "an MLP is for streams of width 3"),
        (lambda: replace(model, blocks=(Block((), np.zeros(1)),)), "bias of block 0 is for streams of width 1"),
        (lambda: replace(model, blocks=(Block((), np.zeros(7), None, Norm("rms", np.ones(1), np.ones(1))),)), "norm"),
        (lambda: replace(model, readout=Readout(wide)), "the decoding reads"),
        (lambda: replace(model, norm_place="within"), "before or after"),
        (lambda: replace(model, output_weights="hard"), "unknown output weights"),
        (lambda: replace(model, numbers="float128"), "unknown number system"),
        (lambda: replace(model, prefix=("z",)), "not in the model's vocabulary"),
        (lambda: replace(model, loop=ModelLoop(0, 9, 2)), "a loop ends at block 9"),
        (lambda: ModelLoop(1, 1, 2), "has no block"),
        (
            lambda: replace(model, positions=replace(model.positions, table=np.zeros((3, 7))), max_length=4),
            "have 3 rows",
        ),
    ]
    for make, what in wrong:
        with pytest.raises(CapaxError, match=what):
            make()
    assert len(fields(Model)) == 16


def test_nobody_else_can_write_to_a_model() -> None:
    """Neither through an array that was given, nor through what it is a view of; and the giver's stays writable."""
    column = np.eye(7)[:, [4]]
    made = [replace(build(), positions=Positions(("i",), column.T)), replace(build(), embedding=column.T[[0] * 3])]
    before = [model.key() for model in made]
    column[:] = 5
    assert [model.key() for model in made] == before
    view = column.T
    view.setflags(write=False)
    model = replace(build(), positions=Positions(("i",), view))
    key = model.key()
    column[:] = 6
    assert model.key() == key
    # what is read-only all the way down is shared
    assert replace(model, max_length=3).positions.weight is model.positions.weight
    assert Affine(model.embedding, np.zeros(7)).weight is model.embedding


def test_copied_and_sent_to_other_processes() -> None:
    model = build()
    assert copy.copy(model) is copy.deepcopy(model) is model
    assert pickle.loads(pickle.dumps(model)) == model
    with pytest.raises(CapaxError, match="arbitrary function"):
        pickle.dumps(replace(model, input_mlp=OracleMap(np.zeros_like, "guess")))


def test_tokens_of_numpy_are_tokens() -> None:
    model = build()
    assert model(np.array(list("abba"))) == model("abba")
    assert model.run(np.array([list("abba"), list("baab")])).answers == model.batch(["abba", "baab"])


def test_a_model_prints_its_size() -> None:
    """`print` gives the table of sizes, `repr` a line."""
    model = build()
    assert str(model) == str(model.size)
    assert repr(model) == "<model: 1 attention layer; heads 1; width 7; float64>"


@given(st.lists(st.sampled_from(["a", "b", 1, 1.0, True, 2, 2.5, np.int64(1), np.str_("a"), None, "c"]), max_size=5))
def test_rows_are_those_of_the_tokens(word: list[Any]) -> None:
    """Tokens of one type or of several: 1, 1.0 and True have rows of their own, and an unknown token is an error."""
    vocabulary = Vocabulary(("a", 1, "b", True, 1.0, 2.5))
    keys = [(type(token), token) for token in vocabulary.tokens]
    plain = [token.item() if isinstance(token, np.generic) else token for token in word]
    unknown = [i for i, token in enumerate(plain) if (type(token), token) not in keys]
    if unknown:
        with pytest.raises(CapaxError, match=f"at position {unknown[0]} is not"):
            vocabulary.rows(word)
    else:
        assert vocabulary.rows(word) == [keys.index((type(token), token)) for token in plain]
