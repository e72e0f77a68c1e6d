"""The readout: from the result's reading to logits, and from logits to values."""

from capax.compiler.analysis.values import Finite
from capax.compiler.encode.features import Builder
from capax.compiler.encode.signals import Sum
from capax.compiler.layout.assemble import Output
from capax.model.vocabulary import Classes, Fractions, Nearest
from capax.rasp.analysis.output_spec import OutputSpec

MOST_CLASSES = 1024


def output_of(builder: Builder, answer: OutputSpec) -> Output:
    """The readout of the program's result.

    A number x is decoded to the class with the highest logit 2 p x - p^2: the class whose place p is nearest. Where the
    classes are many or lie close together, one number is read out and the nearest value is looked up.
    """
    root = answer.root
    values = builder.facts.values(root)
    name = builder.title(root)
    if not isinstance(values, Finite):
        number = builder.in_stream(builder.number(root).sum, root, name)
        return Output((number * float(1 / values.unit),), Fractions(values.most, float(values.unit)))
    kept = [v for v in values.values if answer.can_be(v)]
    answers = tuple(map(answer.read, kept))
    if len(values) == 1:
        return Output((Sum(),), Classes(answers))
    if builder.plain(values):
        number = builder.in_stream(builder.number(root).sum, root, name)
        places = [float(v) for v in kept]
    else:
        number = builder.stream_feature(root, lambda v: float(values.rank(v)), f"{name}:code", exact=False)
        places = [float(values.rank(v)) for v in kept]
    whole = all(p == int(p) for p in places)
    if not whole or len(places) > MOST_CLASSES or places[-1] - places[0] > 2 * MOST_CLASSES:
        return Output((number,), Nearest(tuple(places), answers))
    middle = float(int((places[0] + places[-1]) / 2))
    centred = number - middle
    logits = tuple(centred * (2 * (p - middle)) - (p - middle) ** 2 for p in places)
    return Output(logits, Classes(answers))
