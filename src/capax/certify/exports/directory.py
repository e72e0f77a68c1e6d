"""An exported directory of Hugging Face as the model of words that it stands for, with what its files say of it.

The weights are read from the files themselves, so that nothing that wrote them is trusted. What is said beside them is
a hint: which program the answers are to be compared with, what heads compute, which token stands before every word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.certify.exports.settings import check_settings
from capax.certify.exports.unpaired import Pairs, pairs_of, unpaired
from capax.certify.not_certified import Refusal
from capax.errors import CapaxError
from capax.model.export.hugging_face.answers import decoding_of
from capax.model.imports.read import read_checkpoint
from capax.model.io.container import parse_json, unpack
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Nearest, Token, Vocabulary

ABOUT = ("program", "name", "domain", "heads", "shift")
"""The facts of a model that the proof is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The model of words without norms, the row of the token before them, and where the pairs lie in the files."""

    model: Model
    first: Array | None
    after: bool
    pairs: Pairs


def held(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> Held:
    """What the files of an export hold; `before` has the ids of the tokens that the tokenizer puts before words."""
    try:
        return _held(files, about, before)
    except CapaxError as error:
        raise Refusal(f"the files are damaged: {error.what}") from None
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise Refusal(f"the files are damaged: {error!s:.80}") from None


def _held(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> Held:
    config, told = (parse_json(files[name], name, "it") for name in ("config.json", "capax.json"))
    found = read_checkpoint(config, files["model.safetensors"], {}, "the export")
    tokens = tuple(token for _, token in told["tokens"])
    decoding = decoding_of(told["decoding"])
    if len(before) > 1:
        raise Refusal("several tokens stand before every word")
    pairs = pairs_of(found)
    plain = unpaired(found, pairs)
    table = plain.positions.table
    assert table is not None
    if not isinstance(decoding, Classes | Nearest):
        raise Refusal("the answers are numbers that are not listed", "the readout")
    names = unpack(files["model.safetensors"], "the export")[1]
    check_settings(config, told["task"], found.numbers, decoding.values, names, len(tokens))
    outputs = told["rows"] if told["task"] == "text-generation" else None
    readout, answers = _readout(plain.readout.map, decoding.values, outputs)
    kept = [i for i in range(len(tokens)) if i not in before]
    words = replace(
        plain,
        vocabulary=Vocabulary(tuple(tokens[i] for i in kept)),
        embedding=plain.embedding[kept],
        positions=Positions((), plain.positions.weight, table[len(before) :]),
        blocks=_hinted(plain.blocks, about.get("heads")),
        readout=Readout(readout),
        decoding=Classes(answers),
        max_length=len(table) - len(before),
        norm_place="before",
        prefix=(),
        provenance=Provenance.from_json({name: about[name] for name in ABOUT if name in about}),
    )
    first = _row(plain.embedding[before[0]], table[0]) if before else None
    return Held(words, first, found.norm_place == "after", pairs)


def _row(token: Array, place: Array) -> Array:
    """The row of the token before every word, which must come out exactly."""
    if ((token != 0) & (place != 0)).any():
        raise Refusal("the row of the token before every word is rounded")
    return np.asarray(token + place, np.float64)


def _readout(map: Affine, values: tuple[Token, ...], rows: Sequence[int] | None) -> tuple[Affine, tuple[Token, ...]]:
    """The last map with the outputs in the order of the answers; outputs that are no answer come last."""
    if rows is None:
        return map, values
    others = [i for i in range(map.outputs) if i not in rows]
    if len(rows) != len(values) or len(set(rows)) != len(rows):
        raise Refusal("the outputs are not one for each answer", "the readout")
    if map.weight[:, others].any():
        raise Refusal("an output that is no answer is no constant", "the readout")
    if not others:
        return Affine(map.weight[:, rows], map.bias[rows]), values
    order = [*rows, max(others, key=lambda i: float(map.bias[i]))]  # the highest of them stands for all
    other = "<no answer>" + "".join(v for v in values if isinstance(v, str))  # is none of the answers
    return Affine(map.weight[:, order], map.bias[order]), (*values, other)


def _hinted(blocks: Sequence[Block], hints: Any) -> tuple[Block, ...]:
    """The blocks without the heads that fill them up, which write nothing."""
    if not isinstance(hints, list | tuple) or len(hints) != len(blocks):
        return tuple(blocks)  # which is refused where hints are read
    found = []
    for block, said in zip(blocks, hints, strict=True):
        count = len(said) if isinstance(said, list | tuple) else 0
        if any(isinstance(head, Head) and head.output.any() for head in block.heads[count:]):
            raise Refusal("there are more heads than the file speaks of")
        found.append(replace(block, heads=block.heads[:count]))
    return tuple(found)
