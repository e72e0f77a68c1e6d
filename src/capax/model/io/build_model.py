"""From a model's description and its tensors to the model; every assumption of the parts is checked on the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from capax.errors import CapaxError
from capax.model.io.container import Stored, bad_file
from capax.model.io.fields import Fields, is_text, unplain
from capax.model.io.storage import array_of, is_exact, storage_of
from capax.model.loop import ModelLoop
from capax.model.model import Model
from capax.model.parts import (
    ACTIVATIONS,
    ATTENTION_KINDS,
    MASKS,
    NORM_KINDS,
    Affine,
    AnyHead,
    AnyMlp,
    Array,
    Block,
    GatedMlp,
    Head,
    Mask,
    Mlp,
    Norm,
    Origin,
    PairSink,
    Readout,
    RotaryHead,
    Sink,
    TensorHead,
)
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Decoding, Fractions, Nearest, Numbers, Token, Vocabulary, token_key

LONGEST_FUNCTION: Final = 60
"""The most characters of a position function's name."""


class Tensors:
    """The tensors of a file whose model has the number system `numbers`."""

    def __init__(self, stored: Mapping[str, Stored], numbers: str, file: str) -> None:
        self._left = dict(stored)
        self._storage = storage_of(numbers)
        self._numbers = numbers
        self._file = file

    def axis(self, name: str, axis: int, axes: int) -> int:
        """The size of an axis of a tensor, which the file alone knows."""
        shape = self._get(name).shape
        if len(shape) != axes:
            raise bad_file(self._file, f"the tensor {name:.80} has {len(shape)} axes and not {axes}")
        return shape[axis]

    def take(self, name: str, *shape: int) -> Array:
        """The numbers of a tensor, which has to have that shape."""
        tensor = self._get(name)
        if tensor.shape != shape:
            raise bad_file(self._file, f"the tensor {name:.80} has the shape {tensor.shape!s:.80} and not {shape}")
        if tensor.dtype != self._storage.file:
            expected = f"a model of {self._numbers:.60} has {self._storage.file}"
            raise bad_file(self._file, f"the tensor {name:.80} is {tensor.dtype}; {expected}")
        del self._left[name]
        array = array_of(tensor, self._storage)
        if not is_exact(array, self._storage):
            what = f"the tensor {name:.80} has a number that is not of {self._numbers:.60}, or not finite"
            raise bad_file(self._file, what)
        return array

    def done(self) -> None:
        """Refuses tensors that nobody has taken."""
        for name in self._left:
            raise bad_file(self._file, f"the tensor {name!r:.80} belongs to no part of the model")

    def _get(self, name: str) -> Stored:
        if name not in self._left:
            raise bad_file(self._file, f"the tensor {name:.80} is missing")
        return self._left[name]


def build(fields: Fields, stored: dict[str, Stored], file: str) -> Model:
    """The model of a description and the tensors of a file."""
    numbers = fields.text("numbers")
    try:
        tensors = Tensors(stored, numbers, file)
    except ValueError:  # an integer with too many digits
        raise fields.bad("numbers", "names no number system") from None
    names = fields.texts("names")
    if not names:
        raise fields.bad("names", "is empty: a model has at least one direction")
    builder = _PartReader(tensors, len(names), _origins(fields))
    vocabulary = _vocabulary(fields)
    prefix = fields.tokens("prefix")
    if not {token_key(t) for t in prefix} <= {token_key(t) for t in vocabulary.tokens}:
        raise fields.bad("prefix", "has a token that is not in the vocabulary")
    shortest = fields.count("min_length")
    longest = fields.optional("max_length", lambda key: fields.count(key, shortest))
    decoding = _decoding(fields.child("decoding"))
    model = Model(
        vocabulary=vocabulary,
        embedding=tensors.take("embedding", len(vocabulary), len(names)),
        positions=builder.positions(fields.child("positions"), longest, len(prefix)),
        input_mlp=fields.optional("input_mlp", lambda key: builder.network(fields.child(key), "input_mlp")),
        blocks=tuple(builder.block(b, f"blocks.{i}") for i, b in enumerate(fields.children("blocks"))),
        readout=builder.readout(fields.child("readout"), decoding.outputs),
        decoding=decoding,
        names=names,
        numbers=numbers,
        max_length=longest,
        min_length=shortest,
        prefix=prefix,
        norm_place=fields.choice("norm_place", ("before", "after")),
        output_weights=fields.choice("output_weights", ("softmax", "sparsemax")),
        loop=_loop(fields),
        provenance=_provenance(fields),
    )
    fields.done()
    tensors.done()
    return model


def _loop(fields: Fields) -> ModelLoop | None:
    """The loop of a description, which most models do not have."""
    if not fields.has("loop"):
        return None
    try:
        return ModelLoop.from_json(fields.take("loop"))
    except CapaxError as error:
        raise fields.bad("loop", f"is not a loop: {error.what}") from None


def _origins(fields: Fields) -> tuple[Origin, ...]:
    origins = []
    for item in fields.items("origins"):
        if not isinstance(item, list) or len(item) != 2 or not is_text(item[0]):
            raise fields.bad("origins", "is not a list of pairs of strings")
        if item[1] is not None and not is_text(item[1]):
            raise fields.bad("origins", "has a location that is not a string")
        origins.append(Origin(item[0], item[1]))
    return tuple(origins)


def _vocabulary(fields: Fields) -> Vocabulary:
    tokens = fields.tokens("vocabulary")
    if len({token_key(t) for t in tokens}) != len(tokens):
        raise fields.bad("vocabulary", "has a token twice")
    return Vocabulary(tokens)


def _provenance(fields: Fields) -> Provenance:
    facts = unplain(fields.take("facts"), fields, "facts")
    if not isinstance(facts, dict):
        raise fields.bad("facts", "is not an object")
    return Provenance.from_json(facts)


def _decoding(fields: Fields) -> Decoding:
    decoding: Decoding
    match fields.choice("kind", ("classes", "nearest", "numbers", "fractions")):
        case "classes":
            decoding = Classes(_answers(fields))
        case "nearest":
            codes, values = fields.numbers("codes"), _answers(fields)
            if len(codes) != len(values) or any(a >= b for a, b in pairwise(codes)):
                raise fields.bad("codes", "is not an increasing list with a code for each value")
            decoding = Nearest(codes, values)
        case "fractions":
            whole = fields.flag("whole") if fields.has("whole") else False
            decoding = Fractions(fields.count("most", 1), fields.number("unit"), whole)
            if whole and (decoding.most != 1 or decoding.exact_unit.denominator != 1):
                raise fields.bad("whole", "needs fractions that are integers")
        case _:
            decoding = Numbers()
    fields.done()
    return decoding


def _answers(fields: Fields) -> tuple[Token, ...]:
    values = fields.tokens("values")
    if not values:
        raise fields.bad("values", "is empty")
    return values


@dataclass(frozen=True)
class _PartReader:
    """Makes the parts of a model of width d; a part's tensors are named after where it stands."""

    tensors: Tensors
    d: int
    known: tuple[Origin, ...]

    def positions(self, fields: Fields, longest: int | None, prefix: int) -> Positions:
        functions = fields.texts("functions")
        if any(len(name) > LONGEST_FUNCTION for name in functions):
            raise fields.bad("functions", f"has a name of more than {LONGEST_FUNCTION} characters")
        weight = self.tensors.take("positions.weight", len(functions), self.d)
        table = None
        if fields.flag("table"):
            rows = self.tensors.axis("positions.table", 0, 2)
            if longest is not None and longest + prefix > rows:
                raise fields.bad("table", f"has {rows} rows, too few for the longest word that the model reads")
            table = self.tensors.take("positions.table", rows, self.d)
        fields.done()
        return Positions(functions, weight, table)

    def affine(self, name: str, inputs: int, outputs: int | None = None) -> Affine:
        """A map; its outputs are counted in the file where nothing else fixes them."""
        if outputs is None:
            outputs = self.tensors.axis(f"{name}.bias", 0, 1)
        weight = self.tensors.take(f"{name}.weight", inputs, outputs)
        return Affine(weight, self.tensors.take(f"{name}.bias", outputs))

    def block(self, fields: Fields, name: str) -> Block:
        heads = tuple(self.head(h, f"{name}.heads.{i}") for i, h in enumerate(fields.children("heads")))
        block = Block(
            heads,
            self.tensors.take(f"{name}.bias", self.d),
            fields.optional("mlp", lambda key: self.mlp(fields.child(key), f"{name}.mlp")),
            self.norm(fields, "attention_norm", name),
            self.norm(fields, "mlp_norm", name),
        )
        fields.done()
        return block

    def head(self, fields: Fields, name: str) -> AnyHead:
        kind = fields.choice("kind", ("head", "tensor", "rotary"))
        mask, scale, called = fields.choice("mask", MASKS), fields.number("scale"), fields.text("name")
        origin = fields.optional("origin", lambda key: self.origin(fields.take(key), fields, key))
        query = self.affine(f"{name}.query", self.d)
        head: AnyHead
        if kind == "tensor":
            key1, key2 = (self.affine(f"{name}.{key}", self.d, query.outputs) for key in ("key1", "key2"))
            value1 = self.affine(f"{name}.value1", self.d)
            value2 = self.affine(f"{name}.value2", self.d, value1.outputs)
            output = self.tensors.take(f"{name}.output", value1.outputs, self.d)
            sinks = fields.has("sink") and fields.flag("sink")
            pair = self.pair_sink(f"{name}.sink", query.outputs, value1.outputs) if sinks else None
            head = TensorHead(query, key1, key2, value1, value2, output, mask, scale, called, origin, pair)
        elif kind == "rotary":
            head = self.rotary(name, query, (mask, scale, called, origin))
        else:
            attention, has_sink = fields.choice("attention", ATTENTION_KINDS), fields.flag("sink")
            key = self.affine(f"{name}.key", self.d, query.outputs)
            value = self.affine(f"{name}.value", self.d)
            output = self.tensors.take(f"{name}.output", value.outputs, self.d)
            sink = self.sink(f"{name}.sink", query.outputs, value.outputs) if has_sink else None
            head = Head(query, key, value, output, attention, mask, sink, scale, called, origin)
        fields.done()
        return head

    def rotary(self, name: str, query: Affine, rest: tuple[Mask, float, str, Origin | None]) -> RotaryHead:
        key, value = self.affine(f"{name}.key", self.d, query.outputs), self.affine(f"{name}.value", self.d)
        output = self.tensors.take(f"{name}.output", value.outputs, self.d)
        return RotaryHead(
            query, key, value, output, self.tensors.take(f"{name}.frequencies", query.outputs // 2), *rest
        )

    def sink(self, name: str, k: int, v: int) -> Sink:
        return Sink(self.tensors.take(f"{name}.key", k), self.tensors.take(f"{name}.value", v))

    def pair_sink(self, name: str, k: int, v: int) -> PairSink:
        key1, key2 = (self.tensors.take(f"{name}.{key}", k) for key in ("key1", "key2"))
        return PairSink(key1, key2, *(self.tensors.take(f"{name}.{value}", v) for value in ("value1", "value2")))

    def origin(self, number: Any, fields: Fields, key: str) -> Origin:
        if type(number) is not int or not 0 <= number < len(self.known):
            raise fields.bad(key, "is not the number of an origin")
        return self.known[number]

    def mlp(self, fields: Fields, name: str) -> AnyMlp:
        if fields.has("gated"):
            fields.take("gated")
            fields.done()
            gate = self.affine(f"{name}.gate", self.d)
            up = self.affine(f"{name}.up", self.d, gate.outputs)
            return GatedMlp(gate, up, self.affine(f"{name}.down", gate.outputs, self.d))
        return self.network(fields, name)

    def network(self, fields: Fields, name: str) -> Mlp:
        count = fields.count("maps", 2)
        maps: list[Affine] = []
        for number in range(count):
            inputs = maps[-1].outputs if maps else self.d
            maps.append(self.affine(f"{name}.maps.{number}", inputs, self.d if number == count - 1 else None))
        units = tuple(self.units(stage, fields) for stage in fields.items("units"))
        if units and [len(stage) for stage in units] != [m.outputs for m in maps[:-1]]:
            raise fields.bad("units", "does not name each hidden unit")
        mlp = Mlp(tuple(maps), fields.choice("activation", ACTIVATIONS), units)
        fields.done()
        return mlp

    def units(self, stage: Any, fields: Fields) -> tuple[Origin, ...]:
        if not isinstance(stage, list):
            raise fields.bad("units", "is not a list of lists")
        return tuple(self.origin(number, fields, "units") for number in stage)

    def norm(self, fields: Fields, key: str, owner: str) -> Norm | None:
        def read(key: str) -> Norm:
            inner, name = fields.child(key), f"{owner}.{key}"
            kind, epsilon = inner.choice("kind", NORM_KINDS), inner.number("epsilon")
            if epsilon < 0:
                raise inner.bad("epsilon", "is negative")
            inner.done()
            return Norm(
                kind, self.tensors.take(f"{name}.gain", self.d), self.tensors.take(f"{name}.bias", self.d), epsilon
            )

        return fields.optional(key, read)

    def readout(self, fields: Fields, outputs: int) -> Readout:
        names = fields.texts("names")
        norm = self.norm(fields, "norm", "readout")
        fields.done()
        return Readout(self.affine("readout.map", self.d, outputs), norm, names)
