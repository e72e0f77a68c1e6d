"""What each limit says of well-known models: from which size on it binds, and whether that is within the context."""

import math
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from capax.limits.base.deep_sizes import DeepSizes
from capax.limits.base.one_layer import nominal_bits, paper_reaches
from capax.limits.base.small_or_large import exponent, size_word
from capax.limits.triangle_graph import sent

DATA: Final = Path(__file__).parent / "models.toml"
KINDS: Final = ("decoder", "encoder")


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model by its public description."""

    name: str
    kind: str
    layers: int
    heads: int
    dim: int
    width: int
    context: int
    source: str
    kv_heads: int = 0

    @property
    def key_heads(self) -> int:
        """How many heads have keys and values of their own."""
        return self.kv_heads or self.heads


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A model with the sizes from which on the limits bind for it; `log2_sequential` is None for encoders.

    `composition` counts values of a function, the others tokens; with match3 it is about one layer of these sizes.
    """

    model: KnownModel
    bits: int
    message: int
    exponent: float
    size: str
    composition: int
    match3: int
    sparse_averaging: int
    triangles: int
    log2_sequential: float | None

    def within(self, least: int) -> bool:
        """Whether a size is within the model's context."""
        return least <= self.model.context

    def to_json(self) -> dict[str, Any]:
        """The row as plain data; what binds from a size on says whether that is within the context."""
        model = {field.name: getattr(self.model, field.name) for field in fields(KnownModel)}
        least = {
            "composition": 2 * self.composition + 1,
            "match3": self.match3,
            "sparse_averaging": self.sparse_averaging,
            "triangles": self.triangles,
        }
        return model | {
            "kv_heads": self.model.key_heads,
            "bits": self.bits,
            "dHp": self.message,
            "exponent": self.exponent,
            "size": self.size,
            "binds_from": {name: {"tokens": n, "within_context": self.within(n)} for name, n in least.items()},
            "log2_sequential": self.log2_sequential,
        }


@cache
def known_models() -> tuple[KnownModel, ...]:
    """The models of the data file; a mistake in it is an error of ours."""
    records = tomllib.loads(DATA.read_text("utf-8"))["models"]
    models = tuple(KnownModel(**record) for record in records)
    for model in models:
        numbers = (model.layers, model.heads, model.dim, model.width, model.context)
        assert model.kind in KINDS, model.name
        assert all(type(n) is int and n > 0 for n in numbers), model.name
        assert 0 <= model.kv_heads <= model.heads, model.name
        assert model.source, model.name
    assert len({model.name for model in models}) == len(models), "names are different"
    return models


def least_functions(bits: int) -> int:
    """The least n with n log2 n above a number of bits: by floats first, then exactly."""
    low, high = 1, max(2, bits)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle * math.log2(middle) > bits else (middle, high)
    while paper_reaches(high - 1, bits, 0.0):
        high -= 1
    while not paper_reaches(high, bits, 0.0):
        high += 1
    return high


def known_row(model: KnownModel, bits: int, threshold: float) -> KnownRow:
    """What the limits say of a model whose numbers have p bits."""
    message, one = model.heads * model.dim * bits, nominal_bits(model.heads, model.dim, bits)
    sizes = DeepSizes(model.layers, message)
    # the last table, of K^e entries, is all but a sliver of the prompt
    deep = None if model.kind == "encoder" else float(sizes.exponent * sizes.k)
    return KnownRow(
        model,
        bits,
        message,
        exponent(message, model.context),
        size_word(message, model.context, threshold),
        least_functions(one),
        2 * one + 3,
        2 * model.width * bits + 3,
        3 * (sent(model.layers, model.key_heads, model.dim, bits) + 1),
        deep,
    )
