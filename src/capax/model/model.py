"""The model: a transformer as an immutable value."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from capax.display import Displayed, method
from capax.errors import CapaxError
from capax.model.loop import ModelLoop
from capax.model.numbers import parse
from capax.model.parts import AnyMlp, Array, Block, GatedMlp, Mlp, OracleMap, Origin, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.validate import freeze_arrays, require
from capax.model.vocabulary import Decoding, Token, Vocabulary

if TYPE_CHECKING:
    from capax.model.run.run import Run
    from capax.model.size import Size
    from capax.report import Report

REUSED: Final = ", then "
"""What stands between the names of a direction that is reused, in `names`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model(Displayed):
    """A transformer: what it reads, its weights, the numbers it computes with, and what its answers mean.

    A word's tokens, with `prefix` put before them, are embedded: a row of `embedding` (tokens, d) and what `positions`
    adds. Then the input MLP, if there is one, then the blocks, then the readout. The answers at the prefix are
    dropped. `names` names the d directions of the stream. `numbers` is a number system (see
    `capax.model.numbers`): float64, float32, float16, bfloat16, `fixed:P.F` or `integer:...`.
    `provenance` says where the model came from: the program's text, a certificate, and the like. With a `loop` some
    blocks are run several times, as often as the length asks.
    """

    vocabulary: Vocabulary
    embedding: Array
    positions: Positions
    blocks: tuple[Block, ...]
    readout: Readout
    decoding: Decoding
    names: tuple[str, ...]
    numbers: str = "float64"
    input_mlp: Mlp | OracleMap | None = None
    max_length: int | None = None
    min_length: int = 1
    prefix: tuple[Token, ...] = ()
    norm_place: Literal["before", "after"] = "before"
    output_weights: Literal["softmax", "sparsemax"] = "softmax"
    loop: ModelLoop | None = None
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        freeze_arrays(self, "embedding")
        _check(self)

    @property
    def width(self) -> int:
        """The number of directions of the residual stream."""
        return len(self.names)

    @property
    def depth(self) -> int:
        """The number of blocks that have a head; those of a loop count once."""
        return sum(bool(block.heads) for block in self.blocks)

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Every array of the model with its name, such as `blocks.0.heads.1.query.weight`, in a fixed order."""
        yield "embedding", self.embedding
        for name in ("positions", "input_mlp", "blocks", "readout"):
            yield from _arrays(name, getattr(self, name))

    def read(self, word: Iterable[Any]) -> list[int]:
        """The embedding rows of a word, prefix included; a word that the model is not made for is refused."""
        if not isinstance(word, Iterable):
            raise CapaxError("bad-input", f"an input is a string or a list of tokens, not {word!r:.60}")
        tokens = tuple(word)
        if len(tokens) < self.min_length:
            raise CapaxError(
                "word-length",
                f"the word has {len(tokens)} tokens, but the model needs at least {self.min_length}",
                hint="give a longer word",
            )
        if self.max_length is not None and len(tokens) > self.max_length:
            raise CapaxError(
                "word-length",
                f"the word has {len(tokens)} tokens, but the model is made for at most {self.max_length}",
                hint="give a shorter word, or make the model for longer ones",
            )
        rows = self.vocabulary.rows(tokens)
        return self.vocabulary.rows(self.prefix) + rows if self.prefix else rows

    def __call__(self, word: Iterable[Any]) -> list[Token]:
        """The answers for a word: one value per token."""
        from capax.model.run.run import answers

        return answers(self, [word])[0]

    def batch(self, words: Iterable[Iterable[Any]]) -> list[list[Token]]:
        """The answers for many words at once."""
        from capax.model.run.run import answers

        return answers(self, list(words))

    @property
    def size(self) -> "Size":
        """What the model costs: layers, heads, width, parameters; `print` shows it as a table."""
        from capax.model.size import size

        return size(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file, whole or not at all; `capax.load_model` reads it."""
        from capax.model.io.atomic import write_bytes
        from capax.model.io.file import to_bytes

        write_bytes(Path(path), to_bytes(self))

    def to_torch(self) -> Any:
        """The model as an `nn.Module` with the same answers, whose every weight can be trained."""
        from capax.model.export.torch.target import to_torch

        return to_torch(self)

    @staticmethod
    def from_torch(module: Any) -> "Model":
        """The model of a module that `to_torch` made or an export to torch has loaded, with the weights it has now."""
        from capax.model.export.torch.target import from_torch

        return from_torch(module)

    def to_transformer_lens(self) -> Any:
        """A `HookedTransformer` (from version 4 of TransformerLens on a `TransformerBridge`) with the same answers.

        Where TransformerLens needs it, a BOS token is put before each word, and layers without heads are added; the
        result of `export("transformer-lens", ...)` names them.
        """
        return method("to_transformer_lens")(self)

    def export(self, target: str, directory: str | PathLike[str], *, force: bool = False) -> "Report":
        """Writes the model for another tool ("torch", "transformer-lens", "hf", "onnx"), and compares the answers."""
        report: Report = method("export")(self, directory, target, force=force)
        return report

    def draw(self, word: Iterable[Any] | None = None) -> Any:
        """The attention of every head on a word, as a picture that notebooks show and that `.save(path)` writes."""
        return method("draw")(self, word)

    def explain(self) -> Any:
        """What each head and MLP reads, writes and is for; `print` shows it."""
        return method("explain")(self)

    def run(self, inputs: Any, *, trace: bool = False, many: bool | None = None) -> "Run":
        """The logits and answers for a word or for several, with every activation by name if `trace` is true."""
        from capax.model.run.run import run

        return run(self, inputs, trace=trace, many=many)

    def generate(
        self,
        prompt: Iterable[Any],
        steps: int,
        *,
        temperature: float = 0.0,
        seed: int | None = None,
        stop: Token | None = None,
    ) -> list[Token]:
        """Up to `steps` tokens that follow a prompt: the best ones, or drawn at a temperature with a seed.

        `capax.model.run.generate.stream` gives them one by one.
        """
        from capax.model.run.generate import generate

        return generate(self, prompt, steps, temperature=temperature, seed=seed, stop=stop)

    def to(self, numbers: str) -> "Model":
        """The model in another number system, its weights rounded; see `capax.model.adapt.conversion`."""
        from capax.model.adapt.conversion import convert

        return convert(self, numbers)

    def key(self) -> str:
        """A digest of everything that the model is; two models are equal when their keys are."""
        digest = hashlib.sha256()
        _digest(digest, self)
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.key() == other.key() if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key())

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: Any) -> "Model":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # For other processes: a model travels as its file does, which holds no code.
        from capax.model.io.file import from_bytes, to_bytes

        return from_bytes, (to_bytes(self), "the model")

    def __repr__(self) -> str:
        heads = ", ".join(str(len(block.heads)) for block in self.blocks) or "none"
        layers = f"{self.depth} attention layer{'s' * (self.depth != 1)}"
        if self.loop is not None:
            layers += f", {self.loop.end - self.loop.first} block(s) run for {self.loop.rounds} rounds"
        return f"<model: {layers}; heads {heads}; width {self.width}; {self.numbers}>"

    def __str__(self) -> str:
        return str(self.size)


def _check(model: Model) -> None:
    """Refuses a model whose parts do not fit together."""
    d = model.width
    shape = (len(model.vocabulary), d)
    require(model.embedding.shape == shape, f"the embedding has the shape {model.embedding.shape} and not {shape}")
    widths = [("the positions", model.positions.weight.shape[1]), ("the readout", model.readout.map.inputs)]
    norms = [model.readout.norm]
    mlps: list[AnyMlp | OracleMap | None] = [model.input_mlp]
    for number, block in enumerate(model.blocks):
        require(block.bias.ndim == 1, f"the bias of block {number} must have one axis")
        widths.append((f"the bias of block {number}", len(block.bias)))
        widths += [(f"a head of block {number}", head.query.inputs) for head in block.heads]
        norms += [block.attention_norm, block.mlp_norm]
        mlps.append(block.mlp)
    widths += [("a norm", len(norm.gain)) for norm in norms if norm is not None]
    widths += [("an MLP", mlp.maps[0].inputs) for mlp in mlps if isinstance(mlp, Mlp)]
    widths += [("an MLP", mlp.up.inputs) for mlp in mlps if isinstance(mlp, GatedMlp)]
    for what, width in widths:
        require(width == d, f"{what} is for streams of width {width}, but {d} directions are named")
    outputs = model.readout.map.outputs
    require(
        outputs == model.decoding.outputs, f"the readout gives {outputs}, the decoding reads {model.decoding.outputs}"
    )
    require(model.norm_place in ("before", "after"), f"norm_place is before or after, not {model.norm_place!r:.60}")
    require(model.output_weights in ("softmax", "sparsemax"), f"unknown output weights {model.output_weights!r:.60}")
    if model.loop is not None:
        fits = model.loop.end <= len(model.blocks)
        require(fits, f"a loop ends at block {model.loop.end} of {len(model.blocks)}")
    parse(model.numbers)
    model.vocabulary.rows(model.prefix)
    rows = None if model.positions.table is None else len(model.positions.table)
    if rows is not None and model.max_length is not None:
        fits = model.max_length + len(model.prefix) <= rows
        require(fits, f"the positions have {rows} rows, too few for the longest word that the model reads")


def _arrays(name: str, part: Any) -> Iterator[tuple[str, Array]]:
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for number, item in enumerate(part):
            if not isinstance(item, Origin):  # there is one for every unit, and no array in any
                yield from _arrays(f"{name}.{number}", item)
    elif part is not None and not isinstance(part, Origin) and is_dataclass(part):
        for field_name in _field_names(part.__class__):
            yield from _arrays(f"{name}.{field_name}", getattr(part, field_name))


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass."""
    return tuple(item.name for item in fields(kind))


def _digest(digest: Any, part: Any) -> None:
    """Feeds a value's content, its types included, to a digest."""
    if isinstance(part, np.generic):
        part = part.item()
    elif isinstance(part, Provenance):
        part = part.to_json()
    if isinstance(part, np.ndarray):
        digest.update(f"array {part.dtype} {part.shape};".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif isinstance(part, (tuple, list)):
        digest.update(f"{len(part)} items;".encode())
        for item in part:
            _digest(digest, item)
    elif isinstance(part, Mapping):
        digest.update(f"{len(part)} facts;".encode())
        for name in sorted(part):
            _digest(digest, name)
            _digest(digest, part[name])
    elif is_dataclass(part) and not isinstance(part, type):
        digest.update(f"{type(part).__name__};".encode())
        for item in fields(part):
            if not item.name.startswith("_"):
                _digest(digest, getattr(part, item.name))
    elif callable(part):
        digest.update(f"function {id(part)};".encode())
    else:
        text = repr(part)
        digest.update(f"{type(part).__name__} {len(text)} {text};".encode())
