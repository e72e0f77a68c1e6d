"""Where a model came from, as its file records it: the program, the domain, the certificate, the machine, and so on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, Self, TypeAlias

from capax.model.vocabulary import Token

Json: TypeAlias = Any
"""A value of plain JSON data."""
Record: TypeAlias = Mapping[str, Json]
"""A JSON object whose fields another room reads."""


class JsonRecord:
    """A dataclass whose fields are the entries of a JSON object, and whose `extra`, if it has one, has more of them."""

    __slots__ = ()

    def to_json(self) -> dict[str, Json]:
        """The record as plain data."""
        names = [item.name for item in fields(self) if item.name != "extra"]  # type: ignore[arg-type]
        return {name: _to_json(getattr(self, name)) for name in names} | dict(getattr(self, "extra", {}))


def _to_json(value: Any) -> Json:
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return value.to_json() if isinstance(value, JsonRecord) else value


@dataclass(frozen=True, slots=True)
class HeadClaim(JsonRecord):
    """What a head is said to compute: the numbers of nodes of the program, and which part of a width that is a sum.

    `keys` are the first position whose key it counts, and the first after it whose key it does not; None for all.
    """

    computes: tuple[int, ...]
    part: int | None = None
    keys: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Json]:
        """The claim as plain data; positions only where they are limited."""
        keys = {} if self.keys is None else {"keys": list(self.keys)}
        return {"computes": list(self.computes), "part": self.part, **keys}


@dataclass(frozen=True, slots=True)
class StateClaim(JsonRecord):
    """A state of a loop: its slot of the stream, the values that it can have, and the number that stands for each."""

    name: str
    slot: int
    values: tuple[Token, ...]
    codes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RecordedDomain(JsonRecord):
    """The words that a model was made for; None where the file does not say. `extra` has the entries that are damaged.

    `causal`: no position sees a later one. `masks`, `mlp_depth` and `keep_all` are settings of the compiler.
    """

    alphabet: tuple[Token, ...] | None
    max_length: int | None
    causal: bool = False
    masks: bool = True
    mlp_depth: int | None = None
    keep_all: bool = False
    extra: Record = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The domain as plain data; `keep_all` only where it was asked for."""
        entries = JsonRecord.to_json(self)
        return {name: value for name, value in entries.items() if name != "keep_all" or value}


@dataclass(frozen=True, slots=True)
class CompileTarget(JsonRecord):
    """The tool that a model was compiled for, what was added for it, and the token that stands in for sinks."""

    name: str
    added: tuple[str, ...]
    sink: Token | None = None


@dataclass(frozen=True, slots=True)
class MachineRecord(JsonRecord):
    """The limits of a decoder of a Turing machine, its form, and its tokens for go and halt."""

    go: str
    halt: str
    form: str
    cells: int
    positions: int
    sure: bool


@dataclass(frozen=True, slots=True)
class NGramRecord(JsonRecord):
    """The order of an n-gram language model, its padding and end tokens, and what it was fitted to."""

    order: int
    padding: str
    end: str
    split: str | None = None
    smooth: float | None = None
    corpus: str | None = None


@dataclass(frozen=True, slots=True)
class ImportSource(JsonRecord):
    """The format of the checkpoint that a model was imported from, and its architecture."""

    format: str
    architecture: str


@dataclass(frozen=True, slots=True)
class PadsRecord(JsonRecord):
    """The pause tokens that follow every word: `factor * length ** power` of them."""

    factor: int
    power: int
    token: Token

    def after(self, word: Sequence[Any]) -> list[Token]:
        """The pause tokens of a word."""
        return [self.token] * (self.factor * len(word) ** self.power)


@dataclass(frozen=True, slots=True)
class Provenance(JsonRecord):
    """What a model's file says about where the model came from; each field is None where it says nothing.

    Files are not trusted: an entry that is unknown or damaged is kept unread in `extra`, so that saving loses nothing.

    Compiled from a program: `heads` for each block what each head computes, `shift` between the types of answers,
    the states of its `loop`, the `target`, the `program`'s text and `name`, the `domain`, the `check` and possible
    `errors`, `causal_change` (what hiding later positions changes), the `assumption` that words keep (then the
    `program` is the one under it), the `certificate`, the `plan` for the outside checker, the `pads` that follow
    every word (then the `program` is the one that reads them).
    Built for a theorem: the `answer` in words, where it is `read` and at which `end_marker`, the `formula`, what it
    `computes` (a specification, as `capax audit --against` takes it), the tokens of `thoughts`, the Turing machine
    (`turing`), the n-gram language model (`ngram`).
    Made to be fooled: the `layout` of its inputs, and the `unit` of its answers.
    Trained: `settings` and what was `measured`. Imported: its `source`.
    """

    heads: tuple[tuple[HeadClaim, ...], ...] | None = None
    shift: int | None = None
    loop: tuple[StateClaim, ...] | None = None
    target: CompileTarget | None = None
    program: str | None = None
    name: str | None = None
    domain: RecordedDomain | None = None
    check: Record | None = None
    errors: tuple[Record, ...] | None = None
    causal_change: Record | None = None
    assumption: str | None = None
    certificate: Record | None = None
    plan: Record | None = None
    pads: PadsRecord | None = None
    answer: str | None = None
    read: str | None = None
    end_marker: str | None = None
    formula: str | None = None
    computes: str | None = None
    thoughts: Record | None = None
    turing: MachineRecord | None = None
    ngram: NGramRecord | None = None
    layout: Record | None = None
    unit: Json = None
    settings: Record | None = None
    measured: Record | None = None
    source: ImportSource | None = None
    extra: Record = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    @property
    def causal(self) -> bool:
        """Whether the model is said to compute its program with later positions hidden."""
        return self.domain is not None and self.domain.causal

    def to_json(self) -> dict[str, Json]:
        """The entries of a model's file, in a fixed order; what is not known is left out."""
        entries = JsonRecord.to_json(self)
        return {name: value for name, value in entries.items() if value is not None or name in self.extra}

    @classmethod
    def from_json(cls, entries: Record) -> Self:
        """The provenance of a file's entries; null counts as absent."""
        known: dict[str, Any] = {}
        extra: dict[str, Json] = {}
        for name, value in entries.items():
            if name not in _READERS:
                extra[name] = value
            elif value is not None:
                read = _READERS[name](value)
                (extra if read is None else known)[name] = value if read is None else read
        return cls(**known, extra=extra)


def _exactly(kind: type) -> Callable[[Json], Any]:
    return lambda value: value if type(value) is kind else None


def _tuple_of(*kinds: type) -> Callable[[Json], Any]:
    def read(value: Json) -> Any:
        sound = isinstance(value, list | tuple) and all(isinstance(item, kinds) for item in value)
        return tuple(value) if sound else None

    return read


def _record(value: Json) -> Record | None:
    return value if isinstance(value, Mapping) else None


def _heads(value: Json) -> tuple[tuple[HeadClaim, ...], ...] | None:
    if not isinstance(value, list | tuple) or not all(isinstance(block, list | tuple) for block in value):
        return None
    blocks = tuple(tuple(map(_head, block)) for block in value)
    return None if any(head is None for block in blocks for head in block) else blocks  # type: ignore[return-value]


def _head(value: Json) -> HeadClaim | None:
    if not isinstance(value, Mapping) or set(value) - {"keys"} != {"computes", "part"}:
        return None
    computes, part = value["computes"], value["part"]
    if not isinstance(computes, list | tuple) or not all(type(number) is int for number in computes):
        return None
    keys = value.get("keys")
    if keys is not None and not (isinstance(keys, list | tuple) and [type(k) for k in keys] == [int, int]):
        return None
    positions = None if keys is None else (keys[0], keys[1])
    return HeadClaim(tuple(computes), part, positions) if part is None or type(part) is int else None


def _states(value: Json) -> tuple[StateClaim, ...] | None:
    if not isinstance(value, list | tuple) or not value:
        return None
    states = tuple(map(_state, value))
    return None if any(state is None for state in states) else states  # type: ignore[return-value]


def _state(value: Json) -> StateClaim | None:
    if not isinstance(value, Mapping) or set(value) != {"name", "slot", "values", "codes"}:
        return None
    name, slot, values, codes = (value[k] for k in ("name", "slot", "values", "codes"))
    lists = all(isinstance(x, list | tuple) for x in (values, codes))
    if not isinstance(name, str) or type(slot) is not int or not lists or len(values) != len(codes) or not values:
        return None
    sound = all(isinstance(v, str | int | float) for v in values) and all(type(c) in (int, float) for c in codes)
    return StateClaim(name, slot, tuple(values), tuple(map(float, codes))) if sound else None


def _pads(value: Json) -> PadsRecord | None:
    """The record of pause tokens; one that is damaged is none."""
    if not isinstance(value, Mapping) or set(value) != {"factor", "power", "token"}:
        return None
    factor, power, token = (value[k] for k in ("factor", "power", "token"))
    sound = type(factor) is int and type(power) is int and 1 <= factor <= 1_000_000 and 0 <= power <= 3
    return PadsRecord(factor, power, token) if sound and isinstance(token, str | int | float) else None


def _domain(value: Json) -> RecordedDomain | None:
    if not isinstance(value, Mapping):
        return None
    known = {name: read(value[name]) for name, read in _DOMAIN.items() if value.get(name) is not None}
    extra = {name: item for name, item in value.items() if known.get(name) is None and item is not None}
    sound = {name: item for name, item in known.items() if item is not None}
    return RecordedDomain(**{"alphabet": None, "max_length": None, **sound}, extra=extra)


def _target(value: Json) -> CompileTarget | None:
    if not isinstance(value, Mapping) or set(value) != {"name", "added", "sink"}:
        return None
    name, added, sink = value["name"], value["added"], value["sink"]
    texts = isinstance(added, list | tuple) and all(isinstance(text, str) for text in (name, *added))
    return CompileTarget(name, tuple(added), sink) if texts and isinstance(sink, str | int | float | None) else None


def _reader(cls: Any, **types: tuple[type, ...]) -> Callable[[Json], Any]:
    """What reads an object whose fields have one of some types each; a field that may be None may be missing."""

    def read(value: Json) -> Any:
        if not isinstance(value, Mapping) or set(value) - set(types):
            return None
        sound = all(type(value.get(name)) in kinds for name, kinds in types.items())
        return cls(**value) if sound else None

    return read


_DOMAIN: Final[dict[str, Callable[[Json], Any]]] = {
    "alphabet": _tuple_of(str, int, float),
    "max_length": _exactly(int),
    "causal": _exactly(bool),
    "masks": _exactly(bool),
    "mlp_depth": _exactly(int),
    "keep_all": _exactly(bool),
}
_NONE: Final = type(None)
_READERS: Final[dict[str, Callable[[Json], Any]]] = {
    "heads": _heads,
    "shift": _exactly(int),
    "loop": _states,
    "target": _target,
    "program": _exactly(str),
    "name": _exactly(str),
    "domain": _domain,
    "check": _record,
    "errors": _tuple_of(Mapping),
    "causal_change": _record,
    "assumption": _exactly(str),
    "certificate": _record,
    "plan": _record,
    "pads": _pads,
    "answer": _exactly(str),
    "read": _exactly(str),
    "end_marker": _exactly(str),
    "formula": _exactly(str),
    "computes": _exactly(str),
    "thoughts": _record,
    "turing": _reader(MachineRecord, go=(str,), halt=(str,), form=(str,), cells=(int,), positions=(int,), sure=(bool,)),
    "ngram": _reader(
        NGramRecord,
        order=(int,),
        padding=(str,),
        end=(str,),
        split=(str, _NONE),
        smooth=(int, float, _NONE),
        corpus=(str, _NONE),
    ),
    "layout": _record,
    "unit": lambda value: value,
    "settings": _record,
    "measured": _record,
    "source": _reader(ImportSource, format=(str,), architecture=(str,)),
}
"""For each entry of a file what reads it: the value, or None where the entry is damaged."""
