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

    A word with spaces is split there, any other into its characters. The outputs of a file are all of one form: a value
    for each position, with spaces between them or one character each; or a single answer, at the last position, which
    is True, False, a number, one character, or a text in quotes. Values that are all integers, or all True and False,
    are read as such.
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
    split = _split(pairs, source)
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


def _split(pairs: Sequence[tuple[int, str, str]], source: Source) -> list[tuple[Word, list[str | None]]]:
    """The words, and the text of the answer at each position; None for no statement."""
    words: list[Word] = [tuple(word.split()) if " " in word.strip() else tuple(word.strip()) for _, word, _ in pairs]
    each = [_each(word, answer.strip()) for word, (_, _, answer) in zip(words, pairs, strict=True)]
    if all(row is not None for row in each):
        return [(word, list(row)) for word, row in zip(words, each, strict=True) if row is not None]
    single = [_single(answer.strip()) for _, _, answer in pairs]
    if any(one is None for one in single):
        unfit = [row is None and one is None for row, one in zip(each, single, strict=True)]
        raise _wrong_length(words, pairs, unfit.index(True) if any(unfit) else each.index(None), source)
    return [(word, [*[None] * (len(word) - 1), one]) for word, one in zip(words, single, strict=True)]


def _wrong_length(words: Sequence[Word], pairs: Sequence[tuple[int, str, str]], at: int, source: Source) -> CapaxError:
    number, _, answer = pairs[at]
    values = len(answer.split()) if " " in answer.strip() else len(answer.strip())
    what = f"line {number} has {len(words[at])} letters and {values} value{'' if values == 1 else 's'}"
    hint = 'one value for each position in every line, or one answer in every line: True, 3, x or "yes"'
    return _at(source, number, what, hint)


def _each(word: Word, answer: str) -> list[str] | None:
    """An output as a value for each position; None if it has another number of values."""
    items = answer.split() if " " in answer else [answer]
    if len(items) == len(word):
        return items
    one_value = answer in ("True", "False") or re.fullmatch(r"-?\d*\.\d+", answer)
    return list(answer) if len(items) == 1 and len(answer) == len(word) and not one_value else None


def _single(answer: str) -> str | None:
    """An output as a single answer; None if it is none."""
    if re.fullmatch(r'"[^"]*"', answer):
        return answer[1:-1]
    plain = len(answer) == 1 or answer in ("True", "False") or re.fullmatch(r"-?\d*\.?\d+", answer)
    return answer if plain else None


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
