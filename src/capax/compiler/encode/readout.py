"""The readout: from the result's encoding to logits, and from logits to values."""

from capax.compiler.analysis.values import Finite
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum
from capax.compiler.layout.network import PlannedReadout
from capax.model.vocabulary import Classes, Fractions, Nearest
from capax.rasp.analysis.output_spec import OutputSpec

MOST_CLASSES = 1024


def readout_of(builder: FeatureBuilder, spec: OutputSpec) -> PlannedReadout:
    """The readout of the program's result.

    A number x is decoded to the class with the highest logit 2 c x - c^2: the class whose code c is nearest. Where the
    classes are many or lie close together, one number is read out and the nearest value is looked up.
    """
    root = spec.root
    values = builder.analysis.values(root)
    name = builder.title(root)
    if not isinstance(values, Finite):
        number = builder.in_stream(builder.number(root).signal, root, name)
        return PlannedReadout((number * float(1 / values.unit),), Fractions(values.most, float(values.unit)))
    possible = [v for v in values.values if spec.can_be(v)]
    answers = tuple(map(spec.read, possible))
    if len(values) == 1:
        return PlannedReadout((SignalSum(),), Classes(answers))
    if builder.plain(values):
        number = builder.in_stream(builder.number(root).signal, root, name)
        codes = [float(v) for v in possible]
    else:
        number = builder.stream_feature(root, lambda v: float(values.rank(v)), f"{name}:code", exact=False)
        codes = [float(values.rank(v)) for v in possible]
    whole = all(code == int(code) for code in codes)
    if not whole or len(codes) > MOST_CLASSES or codes[-1] - codes[0] > 2 * MOST_CLASSES:
        return PlannedReadout((number,), Nearest(tuple(codes), answers))
    middle = float(int((codes[0] + codes[-1]) / 2))
    centred = number - middle
    logits = tuple(centred * (2 * (code - middle)) - (code - middle) ** 2 for code in codes)
    return PlannedReadout(logits, Classes(answers))
