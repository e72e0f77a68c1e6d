"""The certificate: up to which length, in which number system, every answer of a model is the program's, and why.

Statement. For every word of the model's tokens, from the model's least length to the certified one, on which the
program gives a value, the model's decoded answer is that value, in that number system, under the assumptions below.
Of a causal model, the program is meant with later positions hidden: every selector sees no later one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from capax.certify.not_certified import NotCertified
from capax.certify.systems import ROUNDOFF
from capax.display import Card

VERSION: Final = 4

ASSUMPTIONS: Final = (
    "products, sums and quotients are rounded to nearest, with a relative error of at most the unit roundoff, in any "
    "order, with or without fused multiply-add",
    "exp is within 2 units in the last place, exp(0) is 1, and exp is 0 where the exact value is below half of the "
    "least number of the system",
    "softmax subtracts the greatest score before exp",
    "floats that differ by rounding only count as equal answers",
)

ONE_QUOTIENT: Final = (
    "in {}, attention adds up values times weights, and weights, and divides the one sum by the other, or multiplies "
    "it by the reciprocal"
)
"""What is assumed besides in the number systems whose verdicts need it."""


@dataclass(frozen=True, slots=True)
class HeadFigures:
    """What is known of a head: all in units of scores, scale included.

    `gap`: how far every unselected key, and the sink where a key is selected, stays below the selected ones. `spread`:
    how far scores of selected keys are from each other. `leak`: the weight that unselected keys have at most in real
    arithmetic; `underflows`: in floats it is exactly zero. `error`: of the output.
    """

    where: str
    computes: str
    gap: float
    spread: float
    leak: float
    underflows: bool
    error: float


@dataclass(frozen=True, slots=True)
class StageFigures:
    """What is known of one stage of an MLP: its units, how large its noise is before and after, and the margin.

    `margin` is how far below zero the noisy inputs of units that are surely closed stay, and how far above zero those
    of units that are surely open are; None where no unit has noise.
    """

    where: str
    units: int
    error_in: float
    error_out: float
    margin: float | None


@dataclass(frozen=True, slots=True)
class LengthVerdict:
    """What holds in one number system: certified up to a length (0: none), with the figures, or what breaks and why.

    `whole`: the length is the model's own. `one_quotient`: the proof needs attention that divides once, at the end.
    `help`: a number system in which more was certified, if there is one.
    """

    numbers: str
    length: int
    whole: bool = False
    heads: tuple[HeadFigures, ...] = ()
    stages: tuple[StageFigures, ...] = ()
    decoding_margin: float | None = None
    breaks: str | None = None
    where: str | None = None
    help: str | None = None
    one_quotient: bool = False

    @classmethod
    def none(cls, numbers: str, failure: NotCertified) -> "LengthVerdict":
        """The verdict of a model of which nothing is certified."""
        return cls(numbers, 0, breaks=failure.why, where=failure.where or None)

    def line(self) -> str:
        """The verdict in a line."""
        if self.length:
            return f"{self.numbers}: certified up to length {self.length:,}{', the whole' if self.whole else ''}"
        where = f" ({self.where})" if self.where else ""
        return f"{self.numbers}: not certified: {self.breaks}{where}"

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        flat = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**flat, "heads": [asdict(h) for h in self.heads], "stages": [asdict(s) for s in self.stages]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LengthVerdict":
        """The verdict that plain data of the right form stands for."""
        heads = tuple(HeadFigures(**{"underflows": False, **head}) for head in data["heads"])
        return cls(**{**data, "heads": heads, "stages": tuple(StageFigures(**stage) for stage in data["stages"])})


@dataclass(frozen=True, slots=True)
class Certificate(Card):
    """The verdict on a model in each number system, and the assumptions.

    `types`: the answers are certified with their types, not as values alone (1 and 1.0 are one value). `min_length` is
    the length of the shortest words that it is about.
    """

    types: bool
    min_length: int
    verdicts: tuple[LengthVerdict, ...]
    assumptions: tuple[str, ...] = ASSUMPTIONS
    version: int = VERSION

    @classmethod
    def of(cls, types: bool, min_length: int, verdicts: Sequence[LengthVerdict]) -> "Certificate":
        """The certificate with some verdicts, and with what they assume."""
        systems = " and ".join(verdict.numbers for verdict in verdicts if verdict.one_quotient)
        further = (ONE_QUOTIENT.format(systems),) if systems else ()
        return cls(types, min_length, tuple(verdicts), (*ASSUMPTIONS, *further))

    def length_in(self, numbers: str) -> int:
        """The certified length in a number system; 0 for none."""
        verdict = self.verdict_in(numbers)
        return 0 if verdict is None else verdict.length

    def verdict_in(self, numbers: str) -> LengthVerdict | None:
        """The verdict in a number system, if there is one."""
        return next((v for v in self.verdicts if v.numbers == numbers), None)

    def render(self) -> str:
        """A line for each number system, then the assumptions."""
        lines = [verdict.line() for verdict in self.verdicts]
        return "\n".join([*lines, *(f"assuming {text}" for text in self.assumptions)])

    def to_json(self) -> dict[str, Any]:
        """The certificate as plain data, as model files have it."""
        return {
            "version": self.version,
            "assumptions": list(self.assumptions),
            "types": self.types,
            "min_length": self.min_length,
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Certificate":
        """The certificate that plain data of the right form stands for.

        What comes from elsewhere is checked first, by `capax.certify.recheck`.
        """
        verdicts = tuple(map(LengthVerdict.from_json, data["verdicts"]))
        return cls(data["types"], data["min_length"], verdicts, tuple(data["assumptions"]), data["version"])


NOT_TRIED: Final = Certificate(types=False, min_length=1, verdicts=(), assumptions=())
"""The certificate of a model of which nothing was tried."""


def with_help(verdicts: Sequence[LengthVerdict]) -> tuple[LengthVerdict, ...]:
    """The verdicts, with what helps where one falls short: a number system in which more was certified, if any.

    The advice was tried: the verdict in that system stands beside it.
    """
    return tuple(replace(verdict, help=_better(verdict, verdicts)) for verdict in verdicts)


def _better(verdict: LengthVerdict, verdicts: Sequence[LengthVerdict]) -> str | None:
    """The number system in which the same weights are certified at the greatest length; of several the coarsest."""
    if verdict.whole:
        return None
    best = max(verdicts, key=lambda v: (v.length, ROUNDOFF[v.numbers]))
    if best.length <= verdict.length:
        return None
    return f"{best.numbers}, in which these weights are certified up to length {best.length:,}"
