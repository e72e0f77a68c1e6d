"""An MLP whose units may read units: the stages, and what has to be carried through them, are found here."""

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
