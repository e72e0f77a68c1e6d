"""Models that are wrong on some word, and that bounds which are a little too narrow would certify."""

from dataclasses import replace

import numpy as np
import pytest

import capax
from capax import aggregate, full_s, indicator, indices, select, selector_width, tokens, tokens_float, tokens_int
from capax.certify.certificate import at_length
from capax.certify.recheck.handmade import certify_model
from capax.certify.recheck.recheck import recheck, wanted_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Readout
from capax.model.positions import Positions
from capax.model.run.run import run
from capax.model.vocabulary import Classes, Vocabulary
from capax.rasp.ir.nodes import SOpNode

PREVIOUS = aggregate(select(indices, indices - 1, "=="), indicator(tokens == "a"))


def previous(dtype: str) -> tuple[Model, Head]:
    """A model of a program, and its one head."""
    model = capax.compile(PREVIOUS, alphabet="ab", max_length=4, dtype=dtype).model
    head = model.blocks[0].heads[0]
    assert isinstance(head, Head)
    return model, head


def certified(model: Model, numbers: str) -> int:
    """The length at which a model of the program is certified: its own, or none."""
    assert isinstance(PREVIOUS.node, SOpNode)
    return at_length(model, wanted_of(model, PREVIOUS.node, causal=False), numbers, 4).length


def wrong(model: Model, word: str) -> bool:
    """Whether an answer on a word is not the program's, or is no number."""
    try:
        return bool(run(model, word).answers != list(PREVIOUS(word)))
    except capax.CapaxError:
        return True


def with_head(model: Model, head: Head) -> Model:
    """The model with another head."""
    return replace(model, blocks=(replace(model.blocks[0], heads=(head,)),))


@pytest.mark.parametrize("gap", [701, 720])
def test_a_weight_that_float64_still_holds_counts(gap: int) -> None:
    """exp(-701) times a value of 2^998 is no nothing."""
    model, head = previous("float64")
    value, last = np.array(head.value.weight), np.array(model.readout.map.weight)
    value[0, 0], last[4, 1] = 2.0**998, 1.0
    made = with_head(model, replace(head, scale=2.0 * gap, value=Affine(value, head.value.bias)))
    made = replace(made, readout=Readout(Affine(last, np.array([0, -1e-13]))))
    assert wrong(made, "aab")
    assert certified(made, "float64") == 0


@pytest.mark.parametrize(("queries", "keys"), [(100, 60), (-60, -60)])
def test_a_scale_that_is_no_number_of_the_system_is_refused(queries: int, keys: int) -> None:
    """In float32 a scale of 2^-152 is zero, and one of 2^128 infinite; in float64 they are what they are."""
    model, head = previous("float32")
    assert head.sink is not None

    def times(map: Affine, power: int) -> Affine:
        factor = np.float32(2.0**power)
        return Affine(map.weight * factor, map.bias * factor)

    made = replace(
        head,
        scale=head.scale * 2.0 ** -(queries + keys),
        query=times(head.query, queries),
        key=times(head.key, keys),
        sink=replace(head.sink, key=head.sink.key * np.float32(2.0**keys)),
    )
    other = with_head(model, made)
    assert wrong(other, "aab")
    assert certified(other, "float32") == 0
    assert certified(other, "float64") == 4
    assert not wrong(other.to("float64"), "aab")


@pytest.mark.parametrize("seen", [full_s, select(indices, indices, "<=")])
def test_means_of_one_value_that_are_rounded_to_another(seen: capax.Selector) -> None:
    """Three times 0.1 by three is not 0.1 in the language, but what a head finds is no other than for 0.1."""
    mean = aggregate(seen, tokens_float)
    none = Affine(np.zeros((2, 1)), np.zeros(1))
    head = Head(none, none, Affine(np.array([[1.0], [0.0]]), np.zeros(1)), np.array([[0.0, 1.0]]))
    head = head if seen is full_s else replace(head, mask="causal")
    model = Model(
        vocabulary=Vocabulary((0.1,)),
        embedding=np.array([[0.1, 0.0]]),
        positions=Positions((), np.zeros((0, 2)), None),
        blocks=(Block((head,), np.zeros(2), None),),
        readout=Readout(Affine(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 0.05]))),
        decoding=Classes((False, True)),
        names=("x", "y"),
        numbers="float64",
        max_length=3,
    )
    made = certify_model(model, mean > 0.1, [[[mean]]])
    assert run(made, [0.1] * 3, many=False).answers != list((mean > 0.1)([0.1] * 3))
    assert {v["length"] for v in made.provenance.certificate["verdicts"]} == {2}
    assert recheck(made).holds
    right = certify_model(
        replace(model, readout=Readout(Affine(np.zeros((2, 2)), np.array([1.0, 0.0])))), mean > 1, [[[mean]]]
    )
    assert {v["length"] for v in right.provenance.certificate["verdicts"]} == {3}


@pytest.mark.parametrize("order", ["by place", "by value and place"])
def test_a_count_that_starts_at_one_is_no_rank(order: str) -> None:
    """Where every place counts itself the counts are 1 to n: none is 0, and the first place selects nothing.

    A head that takes the place with a count, without a sink for the default, was once thought to select always.
    """
    so_far = select(indices, indices, "<=")
    value = select(tokens_int, tokens_int, "<") | (select(tokens_int, tokens_int, "==") & so_far)
    count = selector_width(so_far if order == "by place" else value)
    program = aggregate(select(count, indices, "=="), tokens_int, 7)
    model = capax.compile(program, alphabet=[0, 1], max_length=4).model
    assert recheck(model).holds
    assert model([0, 1, 1])[0] == 7
    *others, last = model.blocks
    for number, head in enumerate(last.heads):
        if not isinstance(head, Head) or head.sink is None:
            continue
        heads = (*last.heads[:number], replace(head, sink=None), *last.heads[number + 1 :])
        wrong = replace(model, blocks=(*others, replace(last, heads=heads)))
        assert wrong([0, 1, 1])[0] != 7
        assert not recheck(wrong).holds
        return
    raise AssertionError("there is a head with a sink")
