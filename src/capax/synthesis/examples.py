"""Examples as a specification: lines `input<TAB>output`, and nothing is known of any other word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from capax.auditor.spec import Answer, Spec
from capax.errors import CapaxError, Source, Span
from capax.synthesis.sample import Word


@dataclass(frozen=True, slots=True)
class Examples:
    """The specification that examples are, and their words."""

    spec: Spec
    words: tuple[Word, ...]


def read_examples(text: str, name: str) -> Examples:
    """The examples of a text, one in each line; empty lines and lines that begin with # are passed over.

    A word with spaces is split there, any other into its characters. The output has one value for each position, with
    spaces between them or one character each; a single value is the answer at the last position. Values that are all
    integers, or all True and False, are read as such.
    """
    source = Source(name, text)
    pairs: list[tuple[int, str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        word, tab, answer = line.partition("\t")
        if not tab or not word.strip():
            span = Span(source, _offset(text, number), _offset(text, number) + len(line))
            raise CapaxError("bad-examples", "an example is an input, a tab and an output", span, "abc<TAB>cba")
        pairs.append((number, word, answer))
    if not pairs:
        raise CapaxError("bad-examples", f"there is no example in {name}", hint="one in each line: abc<TAB>cba")
    split = [_example(word, answer, number, source) for number, word, answer in pairs]
    values = _read_values([answers for _, answers in split])
    answers: dict[Word, list[Answer | None]] = {}
    for (word_, _), row, (number, _, _) in zip(split, values, pairs, strict=True):
        if answers.get(word_, row) != row:
            raise _at(source, number, f"line {number} gives another output for an input that came before")
        answers[word_] = row
    return Examples(_spec(answers, name), tuple(answers))


def _offset(text: str, line: int) -> int:
    return sum(len(row) + 1 for row in text.split("\n")[: line - 1])


def _at(source: Source, number: int, what: str, hint: str | None = None) -> CapaxError:
    start = _offset(source.text, number)
    return CapaxError("bad-examples", what, Span(source, start, start + 1), hint)


def _example(word: str, answer: str, number: int, source: Source) -> tuple[Word, list[str | None]]:
    """A word, and the text of its answer at each position; None for no statement."""
    letters = tuple(word.split()) if " " in word.strip() else tuple(word.strip())
    items = answer.split() if " " in answer.strip() else [answer.strip()]
    if len(items) == len(letters):
        return letters, list(items)
    one_value = items[0] in ("True", "False") or re.fullmatch(r"-?\d*\.\d+", items[0])
    if len(items) == 1 and len(items[0]) == len(letters) and not one_value:
        return letters, list(items[0])
    if len(items) == 1:
        return letters, [*[None] * (len(letters) - 1), items[0]]
    what = f"line {number} has {len(letters)} letters and {len(items)} values"
    raise _at(source, number, what, "give one value for each position, or one for the whole word")


def _read_values(rows: Sequence[Sequence[str | None]]) -> list[list[Answer | None]]:
    texts = [text for row in rows for text in row if text is not None]

    def read(convert: Any) -> list[list[Answer | None]]:
        return [[None if text is None else convert(text) for text in row] for row in rows]

    if all(text in ("True", "False") for text in texts):
        return read(lambda text: text == "True")
    if all(text.removeprefix("-").isdecimal() for text in texts):
        return read(int)
    try:
        return read(float) if all("." in text or text.isdecimal() for text in texts) else read(str)
    except ValueError:
        return read(str)


def _spec(answers: dict[Word, list[Answer | None]], name: str) -> Spec:
    letters = tuple(dict.fromkeys(x for word in answers for x in word))

    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        return [answers.get(tuple(word), [None] * len(word)) for word in words]

    def every(length: int) -> list[Word]:
        return [word for word in answers if len(word) == length]

    definition = "\n".join(f"{' '.join(map(str, w))}\t{' '.join(map(str, row))}" for w, row in answers.items())
    return Spec(name, "examples", letters, answers_of, definition=definition, every=every)
