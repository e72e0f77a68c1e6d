"""Words in which each kind of bracket is balanced on its own: two layers that count by means."""

from collections.abc import Sequence

from capax.model.model import Model
from capax.model.parts import Mlp
from capax.theorems.languages.parts.acceptance_head import any_position, recogniser
from capax.theorems.weights.stream import Stream, each, family


def counting(
    pairs: Sequence[tuple[str, str]],
    *,
    attention: str,
    length: int,
    together: bool = False,
    order: bool = True,
) -> Model:
    """The model for k pairs: hard attention for every length, or softmax for words of at most `length`.

    The first layer has the height of each kind of bracket, divided by the number of positions so far: the mean of +1
    and -1. The second asks whether one was ever below 0 (left out unless `order`), and whether all are 0 here.
    `together` counts all kinds as one.
    """
    means = family("mean height", 1 if together else len(pairs))
    steps = family("step", len(means))
    stream = Stream((*steps, *means, "below 0", "not 0", "ever below 0", "wrong"))
    rows: dict[str, dict[str, float]] = {}
    for kind, pair in enumerate(pairs):
        step = steps[0 if together else kind]
        rows |= {pair[0]: {step: 1.0}, pair[1]: {step: -1.0}}
    uniform = stream.head(
        query=[{}], key=[{}], value=each(steps), into=means, mask="causal", name="mean heights of the prefix"
    )
    first = stream.block(uniform, mlp=_signs(stream, means))
    if attention == "hard":
        heads = [any_position(stream, {"not 0": 1.0}, {"": 1.0}, "wrong", name="a height is not 0 here")]
        if order:
            heads.append(any_position(stream, {"": 1.0}, {"below 0": 1.0}, "wrong", name="a height was below 0"))
        return recogniser(stream, rows, (first, stream.block(*heads)), {"": 1.0, "wrong": -1.0})
    earlier = stream.head(
        query=[{}], key=[{}], value=[{"below 0": 1.0}], into=["ever below 0"], mask="causal", name="mean below 0"
    )
    # A height below 0 is at most -1 / N in a mean, and that in a mean again: at least 1 / N^2.
    steep = float(length) ** 2
    answer = {"": 1.0, "ever below 0": -steep if order else 0.0, "not 0": -steep}
    return recogniser(stream, rows, (first, stream.block(earlier)), answer, max_length=length)


def _signs(stream: Stream, means: Sequence[str]) -> Mlp:
    """Two units for each mean: how far some are below 0, and how far all are from 0."""
    above, below = family("above", len(means)), family("below", len(means))
    units = {unit: {mean: 1.0} for unit, mean in zip(above, means, strict=True)}
    units |= {unit: {mean: -1.0} for unit, mean in zip(below, means, strict=True)}
    down = dict.fromkeys(below, 1.0)
    return stream.mlp([units], {"below 0": down, "not 0": down | dict.fromkeys(above, 1.0)})
