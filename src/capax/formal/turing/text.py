"""Turing machines as text.

    # binary increment                     a comment, up to the end of the line
    blank _                                the blank symbol; `_` if the line is left out
    input 0 1                              the symbols of words; if left out, all symbols of rules but the blank
    start right                            the first state; if left out, that of the first rule
    accept done                            the states that accept when the machine halts in them; may be left out

    right 0 -> 0 R right                   state, symbol read -> symbol written, move (L, R or S), next state
    right 1 -> 1 R right
    right _ -> _ L carry
    carry 1 -> 0 L carry
    carry 0 -> 1 S done
    carry _ -> 1 S done

States and symbols are any words without blanks that do not begin with `#`. With the line `tapes 2` a rule reads two
symbols, writes two and makes two moves: `go 0 _ -> 0 1 R R go`. A rule that ends in `: 1/3` or `: 0.25` is taken with
that probability; all rules for one state and symbol then sum to 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NoReturn

from capax.errors import CapaxError, Source, Span
from capax.formal.turing.machine import MOVES

MOST_TAPES: Final = 4
_HEADERS: Final = ("blank", "input", "start", "accept", "tapes")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line, and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as it stands in a file; on one tape `read`, `write` and `moves` have one entry each."""

    state: str
    read: tuple[str, ...]
    write: tuple[str, ...]
    moves: tuple[int, ...]
    next: str
    chance: Fraction | None
    span: Span


@dataclass(frozen=True, slots=True)
class MachineFile:
    """What a text says: headers and rules, checked one by one."""

    source: Source
    blank: str
    start: str
    input: tuple[str, ...]
    accepting: frozenset[str]
    tapes: int
    rules: tuple[Rule, ...] = field(default=())

    @property
    def chancy(self) -> bool:
        """Whether some rule has a probability."""
        return any(rule.chance is not None for rule in self.rules)


def parse(source: Source) -> MachineFile:
    """The headers and rules of a text; a bad line is an error that points at it."""
    headers: dict[str, list[Word]] = {}
    rules: list[list[Word]] = []
    for words in _lines(source):
        if any(word.text == "->" for word in words):
            rules.append(words)
        elif words[0].text in _HEADERS:
            if words[0].text in headers:
                _refuse(f"the line `{words[0].text}` is there twice", words[0].span, "keep one of them")
            headers[words[0].text] = words
        else:
            _refuse(
                "this is neither a rule nor a header",
                words[0].span.to(words[-1].span),
                "a rule is `state symbol -> symbol move state`; headers are blank, input, start, accept and tapes",
            )
    if not rules:
        raise CapaxError(
            "bad-machine", f"{source.name} has no rule", hint="write rules such as `go 0 -> 1 R go`, one in each line"
        )
    tapes = _tapes(headers.get("tapes"))
    read = tuple(_rule(words, tapes) for words in rules)
    blank = _single(headers.get("blank"), "_")
    used = dict.fromkeys(s for rule in read for s in (*rule.read, *rule.write) if s != blank)
    given = headers.get("input")
    symbols = tuple(used) if given is None else tuple(word.text for word in given[1:])
    if given is not None and (blank in symbols or len(set(symbols)) < len(symbols)):
        _refuse("the input has the blank, or a symbol twice", given[0].span.to(given[-1].span), "name each symbol once")
    states = {state for rule in read for state in (rule.state, rule.next)}
    for word in headers.get("accept", [])[1:]:
        if word.text not in states:
            _refuse(
                f"no rule has the state {word.text!r:.40}", word.span, f"states are {' '.join(sorted(states)[:20])}"
            )
    accepting = frozenset(word.text for word in headers.get("accept", [])[1:])
    start = _single(headers.get("start"), read[0].state)
    if all(rule.state != start for rule in read):
        acting = " ".join(sorted({rule.state for rule in read})[:20])
        _refuse(f"no rule begins in the state {start!r:.40}", headers["start"][1].span, f"rules begin in {acting}")
    return MachineFile(source, blank, start, symbols, accepting, tapes, read)


def _lines(source: Source) -> Iterator[list[Word]]:
    """The words of each line that has some, up to a comment."""
    offset = 0
    for line in source.text.split("\n"):
        words, at = [], 0
        for text in line.split():
            at = line.index(text, at)
            if text.startswith("#"):
                break
            words.append(Word(text, Span(source, offset + at, offset + at + len(text))))
            at += len(text)
        if words:
            yield words
        offset += len(line) + 1


def _tapes(words: list[Word] | None) -> int:
    if words is None:
        return 1
    if len(words) != 2 or not words[1].text.isdecimal() or not 1 <= int(words[1].text[:4]) <= MOST_TAPES:
        hint = f"a machine has 1 to {MOST_TAPES} tapes, as in `tapes 2`"
        _refuse("the number of tapes is not to be read", words[0].span.to(words[-1].span), hint)
    return int(words[1].text)


def _single(words: list[Word] | None, default: str) -> str:
    if words is None:
        return default
    if len(words) != 2:
        _refuse(f"`{words[0].text}` has one word after it", words[0].span.to(words[-1].span), "as in `blank _`")
    return words[1].text


def _rule(words: list[Word], tapes: int) -> Rule:
    """The rule of a line."""
    whole = words[0].span.to(words[-1].span)
    texts = [word.text for word in words]
    chance = None
    if len(texts) > 2 and texts[-2] == ":":
        chance = _chance(words[-1])
        words, texts = words[:-2], texts[:-2]
    if len(texts) != 3 + 3 * tapes or texts[1 + tapes] != "->":
        shape = " ".join(["state", *["symbol"] * tapes, "->", *["symbol"] * tapes, *["move"] * tapes, "state"])
        _refuse("this rule has not the right number of words", whole, f"a rule is `{shape}`")
    moves = words[2 + 2 * tapes : 2 + 3 * tapes]
    for word in moves:
        if word.text not in MOVES:
            _refuse(f"{word.text!r:.40} is no move", word.span, "moves are L, R and S (stay)")
    return Rule(
        texts[0],
        tuple(texts[1 : 1 + tapes]),
        tuple(texts[2 + tapes : 2 + 2 * tapes]),
        tuple(MOVES[word.text] for word in moves),
        texts[-1],
        chance,
        whole,
    )


def _chance(word: Word) -> Fraction:
    try:
        found = Fraction(word.text[:40])
    except (ValueError, ZeroDivisionError):
        found = Fraction(0)
    if not 0 < found <= 1:
        _refuse(f"{word.text!r:.40} is no probability", word.span, "write a fraction, as in `: 1/3`, or `: 0.25`")
    return found


def _refuse(what: str, where: Span, hint: str) -> NoReturn:
    raise CapaxError("bad-machine", what, where, hint)
