"""MLPs of several stages: units that read units, with what is carried through the stages; squares of integers."""

from collections.abc import Collection, Iterable, Mapping

from capax.model.parts import Mlp
from capax.theorems.weights.stream import Stream, Terms


def staged(
    stream: Stream, units: Mapping[str, Terms], writes: Mapping[str, Terms], positive: Collection[str] = ()
) -> Mlp:
    """The MLP of ReLU units that read directions and units named before them.

    A unit stands in the stage after the last that it reads; `writes` may sum units and directions. What is read later
    is carried by a unit of its own, a direction that may be negative by two; those in `positive` never are.
    """
    stage_of: dict[str, int] = {}
    for name, terms in units.items():
        assert name not in stream.names, f"{name} is a direction"
        stage_of[name] = 1 + max((stage_of.get(source, 0) for source in terms), default=0)
    depth = max(stage_of.values(), default=1)
    readers = [*((stage_of[name], terms) for name, terms in units.items())]
    readers += [(depth + 1, terms) for terms in writes.values()]
    stages: list[dict[str, Terms]] = []
    for stage in range(1, depth + 1):
        units_here: dict[str, Terms] = {}
        for source in _read_after(stage, readers):
            if stage_of.get(source, 0) >= stage:
                continue
            if source in stage_of or source in positive:
                units_here[source] = {source: 1.0}
            else:
                units_here |= {part: _at(stage, {source: sign}, stage_of, positive) for part, sign in _halves(source)}
        units_here |= {name: _at(stage, units[name], stage_of, positive) for name in units if stage_of[name] == stage}
        stages.append(units_here)
    return stream.mlp(stages, {name: _at(depth + 1, terms, stage_of, positive) for name, terms in writes.items()})


def _halves(source: str) -> tuple[tuple[str, float], tuple[str, float]]:
    """The two units that carry a direction: what is above 0, and what is below."""
    return (f"{source} above 0", 1.0), (f"{source} below 0", -1.0)


def _read_after(stage: int, readers: Iterable[tuple[int, Terms]]) -> list[str]:
    """What is read in a later stage, each once."""
    return list(dict.fromkeys(source for at, terms in readers if at > stage for source in terms if source))


def _at(stage: int, terms: Terms, stage_of: Mapping[str, int], positive: Collection[str]) -> dict[str, float]:
    """A sum in the names that a stage can read."""
    terms_here: dict[str, float] = {}
    for source, coefficient in terms.items():
        if stage == 1 or not source or source in stage_of or source in positive:
            terms_here[source] = coefficient
        else:
            terms_here |= {part: sign * coefficient for part, sign in _halves(source)}
    return terms_here


Stages = list[dict[str, dict[str, float]]]


def square(reads: Terms, bits: int, name: str) -> tuple[Stages, dict[str, float]]:
    """The stages of units for the square of a sum that is an integer of `bits` bits, and the square as their sum.

    For integers 0 <= x < 2^S: S stages with at most 4 units each give x^2 exactly, in any number system that holds
    integers up to 4^S and their halves. With t = x / 2^S and the tooth g(t) = 2 min(t, 1 - t), t^2 is t minus the sum
    over s of g^s(t) / 4^s, where the sum over s = 1 ... S is exact at multiples of 2^-S. Each stage folds once more and
    carries the sum so far. Cite: Yarotsky (2017), "Error bounds for approximations with deep ReLU networks": the same
    sum, there as an approximation between the grid's points.

    Numbers are kept as multiples of 2^-bits; the units of a stage are called `name ...`.
    """
    assert bits >= 1
    half = 0.5
    stages: Stages = []
    scaled = {source: coefficient / 2**bits for source, coefficient in reads.items()}
    fold: Mapping[str, float] = scaled  # t, then the teeth, as a sum of the stage before
    rest: Mapping[str, float] = scaled  # t minus the teeth so far
    for s in range(bits):
        low, high, rest_unit = f"{name} low", f"{name} high", f"{name} rest"
        stages.append({low: dict(fold), high: _minus(fold, half), rest_unit: dict(rest)})
        # The tooth of t is 2 relu(t) - 4 relu(t - 1/2) on [0, 1].
        fold = {low: 2.0, high: -4.0}
        weight = 4.0 ** -(s + 1)
        rest = {rest_unit: 1.0, low: -2.0 * weight, high: 4.0 * weight}
    return stages, {unit: coefficient * 4.0**bits for unit, coefficient in rest.items()}


def _minus(terms: Terms, constant: float) -> dict[str, float]:
    return {**terms, "": terms.get("", 0.0) - constant}
