"""Pairs of a clean and a corrupted word of one length, with the answers at the positions where they differ."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitEdge
from capax.model.interpretability.interchange import word_pairs
from capax.model.interpretability.lens_model import LensModel, Patch, answer_codes, run, with_prefix
from capax.model.parts import Array
from capax.model.vocabulary import token_key

COLUMNS: Final = ("clean", "corrupted", "position", "correct_idx", "incorrect_idx")
METRIC: Final = {
    "name": "logit difference",
    "formula": "logits[pair, tokens_before_a_word + position, correct_idx] - logits[..., incorrect_idx]",
    "position": "counts from 0 at the first letter of the word",
    "answers": "correct_idx and incorrect_idx are numbers of answers: the values of `decoding` in words.json",
    "batches": "of one length; the mean over pairs",
}
"""What the pairs are for, in words."""
LENGTHS: Final = (4, 6, 8)
EACH: Final = 40
"""Rows of each length."""


@dataclass(frozen=True, slots=True)
class WordPair:
    """A clean and a corrupted word, and a position at which their answers, by number, differ."""

    clean: str
    corrupted: str
    position: int
    correct: int
    incorrect: int


def word_pair_rows(lens: LensModel, seed: int, edges: Sequence[CircuitEdge] = ()) -> list[WordPair]:
    """Pairs of words whose answers differ somewhere, at one of these positions; with pairs that show rare edges."""
    pairs: list[WordPair] = []
    draw = np.random.default_rng(seed)
    for length in LENGTHS:
        clean, other = word_pairs(lens, length, 6 * EACH, seed)
        one, two = (answer_codes(lens, run(lens, with_prefix(lens, rows)).logits) for rows in (clean, other))
        for row in np.flatnonzero((one != two).any(1))[:EACH]:
            position = int(draw.choice(np.flatnonzero(one[row] != two[row])))
            answers = int(one[row, position]), int(two[row, position])
            pairs.append(WordPair(_text(lens, clean[row]), _text(lens, other[row]), position, *answers))
    return missing_pairs(lens, pairs, edges) + pairs


def missing_pairs(lens: LensModel, pairs: Sequence[WordPair], edges: Iterable[CircuitEdge]) -> list[WordPair]:
    """For edges that no pair shows, such as those that matter for words of three letters alone: their witnesses.

    A witness is a pair only if its two words have different answers; it has the first position where they differ.
    """
    missing: dict[tuple[str, str], WordPair] = {}
    for edge in unseen_edges(lens, pairs, edges):
        assert edge.same_length is not None
        words = edge.same_length.word, edge.same_length.donor
        clean, corrupted = ("".join(map(str, word)) for word in words)
        one, two = (answer_codes(lens, run(lens, rows_of_words(lens, [word])).logits)[0] for word in (clean, corrupted))
        differ = np.flatnonzero(one != two)
        if len(differ):
            position = int(differ[0])
            answers = int(one[position]), int(two[position])
            missing[clean, corrupted] = WordPair(clean, corrupted, position, *answers)
    return list(missing.values())


def unseen_edges(lens: LensModel, pairs: Sequence[WordPair], edges: Iterable[CircuitEdge]) -> list[CircuitEdge]:
    """The edges that matter for words of one length, and change no answer on any pair of words."""
    left = [edge for edge in edges if edge.same_length is not None]
    for length in sorted({len(pair.clean) for pair in pairs}):
        some = [pair for pair in pairs if len(pair.clean) == length]
        clean, other = (rows_of_words(lens, [getattr(p, side) for p in some]) for side in ("clean", "corrupted"))
        base, values = run(lens, clean), run(lens, other).outputs
        answers = answer_codes(lens, base.logits)
        left = [
            edge
            for edge in left
            if (answers == answer_codes(lens, run(lens, clean, _patches(edge, values), base).logits)).all()
        ]
    return left


def _patches(edge: CircuitEdge, values: Mapping[str, Array]) -> list[Patch]:
    return [Patch(one.source, one.target, values[one.source]) for one in (edge.edge, *edge.together)]


def pair_metric(logits: Any, pairs: Sequence[WordPair], start: int) -> Any:
    """The logit difference of each pair; `logits` (pairs, positions, answers) may be an array or a tensor.

    `start` is the number of tokens before a word.
    """
    rows, at = list(range(len(pairs))), [start + pair.position for pair in pairs]
    return logits[rows, at, [p.correct for p in pairs]] - logits[rows, at, [p.incorrect for p in pairs]]


def _text(lens: LensModel, rows: Array) -> str:
    return "".join(str(lens.tokens[int(row)]) for row in rows)


def pairs_csv(pairs: Sequence[WordPair]) -> str:
    """The pairs as CSV, with the columns that EAP's data sets have, and the position."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((p.clean, p.corrupted, p.position, p.correct, p.incorrect) for p in pairs)
    return buffer.getvalue()


def read_pairs(text: str) -> list[WordPair]:
    """The pairs of a CSV text."""
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
        return [WordPair(r["clean"], r["corrupted"], *(int(r[name]) for name in COLUMNS[2:])) for r in rows]
    except (KeyError, ValueError, TypeError) as error:
        raise CapaxError("bad-suite", f"this is not a file of pairs: {error!r:.120}") from None


def rows_of_words(lens: LensModel, words: Sequence[str]) -> Array:
    """Words of one length as rows of the embedding, the prefix before them."""
    known = {token_key(token): row for row, token in enumerate(lens.tokens)}
    return with_prefix(lens, np.array([[known[token_key(letter)] for letter in word] for word in words]))


def wrong_pairs(lens: LensModel, pairs: Sequence[WordPair]) -> list[int]:
    """The numbers of pairs whose answers are not those of the model, or whose words differ in length."""
    wrong = [number for number, p in enumerate(pairs) if not _well_formed(p)]
    for length in {len(p.clean) for p in pairs}:
        numbers = [n for n, p in enumerate(pairs) if len(p.clean) == length and n not in wrong]
        if not numbers:
            continue
        chosen = [pairs[n] for n in numbers]
        one, two = (
            answer_codes(lens, run(lens, rows_of_words(lens, [getattr(p, side) for p in chosen])).logits)
            for side in ("clean", "corrupted")
        )
        for index, (number, p) in enumerate(zip(numbers, chosen, strict=True)):
            if (int(one[index, p.position]), int(two[index, p.position])) != (p.correct, p.incorrect):
                wrong.append(number)
    return sorted(wrong)


def _well_formed(pair: WordPair) -> bool:
    same = len(pair.clean) == len(pair.corrupted)
    return same and 0 <= pair.position < len(pair.clean) and pair.correct != pair.incorrect
