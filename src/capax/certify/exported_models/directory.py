"""An exported directory of Hugging Face as the model of words that it stands for, with what its files say of it.

The weights are read from the files themselves, so that nothing that wrote them is trusted. What is said beside them is
a hint: which program the answers are to be compared with, what heads compute, which token stands before every word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.certify.exported_models.known_settings import check_settings
from capax.certify.exported_models.unpaired import CoordinatePairs, pairs_of, unpaired
from capax.certify.not_certified import NotCertified
from capax.errors import CapaxError
from capax.model.export.hugging_face.answers import decoding_of
from capax.model.imports.read_checkpoint import read_checkpoint
from capax.model.io.container import parse_json, unpack
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Nearest, Token, Vocabulary

ABOUT = ("program", "name", "domain", "heads", "shift")
"""The entries of a model's provenance that the proof is about."""


@dataclass(frozen=True, slots=True, eq=False)
class NormlessExport:
    """The model of words without norms, the row of the token before them, and where the pairs lie in the files."""

    model: Model
    first: Array | None
    after: bool
    pairs: CoordinatePairs


def read_export(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> NormlessExport:
    """What the files of an export hold; `before` has the ids of the tokens that the tokenizer puts before words."""
    try:
        return _read_export(files, about, before)
    except CapaxError as error:
        raise NotCertified(f"the files are damaged: {error.what}") from None
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise NotCertified(f"the files are damaged: {error!s:.80}") from None


def _read_export(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> NormlessExport:
    config, notes = (parse_json(files[name], name, "it") for name in ("config.json", "capax.json"))
    read = read_checkpoint(config, files["model.safetensors"], {}, "the export")
    tokens = tuple(token for _, token in notes["tokens"])
    values, outputs = listed_answers(notes)
    if len(before) > 1:
        raise NotCertified("several tokens stand before every word")
    pairs = pairs_of(read)
    plain = unpaired(read, pairs)
    table = plain.positions.table
    assert table is not None
    names = unpack(files["model.safetensors"], "the export")[1]
    check_settings(config, notes["task"], read.numbers, values, names, len(tokens))
    readout, answers = output_map(plain.readout.map, values, outputs)
    words_only = [i for i in range(len(tokens)) if i not in before]
    words = replace(
        plain,
        vocabulary=Vocabulary(tuple(tokens[i] for i in words_only)),
        embedding=plain.embedding[words_only],
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
    return NormlessExport(words, first, read.norm_place == "after", pairs)


def _row(token: Array, position: Array) -> Array:
    """The row of the token before every word, which must come out exactly."""
    if ((token != 0) & (position != 0)).any():
        raise NotCertified("the row of the token before every word is rounded")
    return np.asarray(token + position, np.float64)


def listed_answers(notes: Mapping[str, Any]) -> tuple[tuple[Token, ...], Sequence[int] | None]:
    """The answers that the notes beside a model list, and the outputs that stand for them if it generates text."""
    decoding = decoding_of(notes["decoding"])
    if not isinstance(decoding, Classes | Nearest):
        raise NotCertified("the answers are numbers that are not listed", "the readout")
    return decoding.values, notes["rows"] if notes["task"] == "text-generation" else None


def output_map(map: Affine, values: tuple[Token, ...], rows: Sequence[int] | None) -> tuple[Affine, tuple[Token, ...]]:
    """The last map with the outputs in the order of the answers; outputs that are no answer come last."""
    if rows is None:
        return map, values
    others = [i for i in range(map.outputs) if i not in rows]
    if len(rows) != len(values) or len(set(rows)) != len(rows):
        raise NotCertified("the outputs are not one for each answer", "the readout")
    if map.weight[:, others].any():
        raise NotCertified("an output that is not an answer is not constant", "the readout")
    if not others:
        return Affine(map.weight[:, rows], map.bias[rows]), values
    order = [*rows, max(others, key=lambda i: float(map.bias[i]))]  # the highest of them stands for all
    other = "<no answer>" + "".join(v for v in values if isinstance(v, str))  # is none of the answers
    return Affine(map.weight[:, order], map.bias[order]), (*values, other)


def _hinted(blocks: Sequence[Block], hints: Any) -> tuple[Block, ...]:
    """The blocks without the heads that fill them up, which write nothing."""
    if not isinstance(hints, list | tuple) or len(hints) != len(blocks):
        return tuple(blocks)  # which is refused where hints are read
    without = []
    for block, tasks in zip(blocks, hints, strict=True):
        count = len(tasks) if isinstance(tasks, list | tuple) else 0
        if any(isinstance(head, Head) and head.output.any() for head in block.heads[count:]):
            raise NotCertified("there are more heads than the file describes")
        without.append(replace(block, heads=block.heads[:count]))
    return tuple(without)
