"""What stages of a deep MLP pass on when each becomes a layer: few numbers, the same function, nothing left over."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax.model.adapt.plain_layers import stage_links, with_layers, with_table
from capax.model.model import REUSED, Model
from capax.model.parts import Affine, Array, Mlp, Readout
from capax.model.positions import Positions
from capax.model.run.run import logits
from capax.model.vocabulary import Classes
from tests.support.exported import model

small = st.integers(-3, 3)


@st.composite
def maps(draw: st.DrawFn) -> Mlp:
    """An MLP of several stages of integer weights, whose units are often multiples of few sums."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=3, max_size=5))
    made = []
    for inputs, outputs in zip([2, *sizes], [*sizes, 2], strict=True):
        count = draw(st.integers(1, outputs))
        sums: Array = np.array(draw(st.lists(small, min_size=inputs * count, max_size=inputs * count)), np.float32)
        which = [draw(st.integers(0, count - 1)) for _ in range(outputs)]
        by = [draw(st.sampled_from([1.0, -1.0, 2.0, 0.5, 3.0, 0.0])) for _ in range(outputs)]
        bias = [float(draw(small)) for _ in range(outputs)]
        weight = sums.reshape(inputs, count)[:, which] * np.array(by, np.float32)
        made.append(Affine(weight.astype(np.float32), np.array(bias, np.float32)))
    return Mlp(tuple(made))


@given(maps())
def test_links_between_stages_make_up_the_map(mlp: Mlp) -> None:
    """No more numbers than units, of signs that they can have; reading them is the map, exactly."""
    for link, map in zip(stage_links(mlp), mlp.maps[1:-1], strict=True):
        assert np.array_equal(link.write @ link.read, map.weight)
        assert link.count <= map.inputs
        assert link.count <= max(1, np.unique(map.weight, axis=1).shape[1]) or link.count == map.inputs
        assert (-1 in link.signs) == bool((link.write < 0).any())
        assert link.carriers == link.count * len(link.signs)


def with_mlp(mlp: Mlp) -> Model:
    """A model that is an MLP on two directions."""
    return replace(
        model("hand-made"),
        embedding=np.array([[1, 2], [-1, 0], [3, -2]], np.float32),
        positions=Positions((), np.zeros((0, 2), np.float32), np.zeros((8, 2), np.float32)),
        input_mlp=mlp,
        blocks=(),
        readout=Readout(Affine(np.eye(2, dtype=np.float32), np.zeros(2, np.float32))),
        decoding=Classes(("x", "y")),
        names=("x", "y"),
        numbers="float32",
    )


@given(maps())
def test_layers_compute_what_the_mlp_does(mlp: Mlp) -> None:
    """On a model with that MLP before its heads; what was passed on is gone afterwards."""
    before = with_mlp(mlp)
    after = with_layers(with_table(before)).model
    assert after.input_mlp is None
    assert all(block.mlp is None or block.mlp.depth == 1 for block in after.blocks)
    for one, two in zip(logits(before, ["abc", "c"]), logits(after, ["abc", "c"]), strict=True):
        assert np.array_equal(one, two)
    stream = after.run("abc", trace=True)[f"blocks.{len(after.blocks) - 1}.resid_post"]
    assert not stream[..., 2:].any()


@given(maps())
def test_separate_links_are_written_once(mlp: Mlp) -> None:
    """The same function, and no direction between stages has two writers."""
    before = with_mlp(mlp)
    after = with_layers(with_table(before), separate=True).model
    for one, two in zip(logits(before, ["abc", "c"]), logits(after, ["abc", "c"]), strict=True):
        assert np.array_equal(one, two)
    writes = [block.mlp.maps[-1].weight.any(0)[2:] for block in after.blocks if isinstance(block.mlp, Mlp)]
    assert np.sum(writes, axis=0).max(initial=0) <= 1
    assert not any(REUSED in name for name in after.names)


def test_links_that_share_a_direction_say_so() -> None:
    """Three stages after the first: the third link takes the directions of the first."""
    first, ones, last = (
        Affine(np.ones(shape, np.float32), np.zeros(shape[1], np.float32)) for shape in ((2, 1), (1, 1), (1, 2))
    )
    mlp = Mlp((first, ones, ones, ones, last))
    names = with_layers(with_table(with_mlp(mlp))).model.names
    assert names[2:] == (f"between stages 0{REUSED}between stages 0", "between stages 1")
    assert with_layers(with_table(with_mlp(mlp)), separate=True).model.width == 2 + 3


@pytest.mark.parametrize("length", [60, 500])
def test_long_words_need_few_directions(length: int) -> None:
    """A table of all lengths is read as one number: its units are not passed on one by one."""
    found = capax.compile(capax.library.reverse, alphabet="ab", max_length=length, certify=False, words=20).model
    assert with_layers(with_table(found)).model.width < 30 + length // 10
