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
    """A word of a line, and its location."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class MachineRule:
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
    rules: tuple[MachineRule, ...] = field(default=())

    @property
    def chancy(self) -> bool:
        """Whether some rule has a probability."""
        return any(rule.chance is not None for rule in self.rules)


def parse(source: Source) -> MachineFile:
    """The headers and rules of a text; a bad line is an error that points at it."""
    headers, rule_lines = _sorted_lines(source)
    tapes = _tapes(headers.get("tapes"))
    rules = tuple(_rule(words, tapes) for words in rule_lines)
    blank = _single(headers.get("blank"), "_")
    symbols = _input_symbols(headers.get("input"), blank, rules)
    accepting = _accepting(headers.get("accept", []), rules)
    start = _single(headers.get("start"), rules[0].state)
    if all(rule.state != start for rule in rules):
        acting = " ".join(sorted({rule.state for rule in rules})[:20])
        _refuse(f"no rule begins in the state {start!r:.40}", headers["start"][1].span, f"rules begin in {acting}")
    return MachineFile(source, blank, start, symbols, accepting, tapes, rules)


def _sorted_lines(source: Source) -> tuple[dict[str, list[Word]], list[list[Word]]]:
    """The words of the header lines by name, and of the rules in order; there is at least one rule."""
    headers: dict[str, list[Word]] = {}
    rules: list[list[Word]] = []
    for words in lines_of(source):
        name = words[0].text
        if any(word.text == "->" for word in words):
            rules.append(words)
        elif name not in _HEADERS:
            hint = "a rule is `state symbol -> symbol move state`; headers are blank, input, start, accept and tapes"
            _refuse("this is neither a rule nor a header", words[0].span.to(words[-1].span), hint)
        elif name in headers:
            _refuse(f"the line `{name}` is there twice", words[0].span, "keep one of them")
        else:
            headers[name] = words
    if not rules:
        hint = "write rules such as `go 0 -> 1 R go`, one in each line"
        raise CapaxError("bad-machine", f"{source.name} has no rule", hint=hint)
    return headers, rules


def _input_symbols(header: list[Word] | None, blank: str, rules: tuple[MachineRule, ...]) -> tuple[str, ...]:
    """The symbols of the line `input`, or without it those of the rules but the blank."""
    if header is None:
        return tuple(dict.fromkeys(s for rule in rules for s in (*rule.read, *rule.write) if s != blank))
    symbols = tuple(word.text for word in header[1:])
    if blank in symbols or len(set(symbols)) < len(symbols):
        whole = header[0].span.to(header[-1].span)
        _refuse("the input has the blank, or a symbol twice", whole, "name each symbol once")
    return symbols


def _accepting(header: list[Word], rules: tuple[MachineRule, ...]) -> frozenset[str]:
    """The states of the line `accept`."""
    states = {state for rule in rules for state in (rule.state, rule.next)}
    for word in header[1:]:
        if word.text not in states:
            known = " ".join(sorted(states)[:20])
            _refuse(f"no rule has the state {word.text!r:.40}", word.span, f"states are {known}")
    return frozenset(word.text for word in header[1:])


def lines_of(source: Source) -> Iterator[list[Word]]:
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
        _refuse("the number of tapes cannot be read", words[0].span.to(words[-1].span), hint)
    return int(words[1].text)


def _single(words: list[Word] | None, default: str) -> str:
    if words is None:
        return default
    if len(words) != 2:
        _refuse(f"`{words[0].text}` has one word after it", words[0].span.to(words[-1].span), "as in `blank _`")
    return words[1].text


def _rule(words: list[Word], tapes: int) -> MachineRule:
    """The rule of a line."""
    whole = words[0].span.to(words[-1].span)
    texts = [word.text for word in words]
    chance = None
    if len(texts) > 2 and texts[-2] == ":":
        chance = _chance(words[-1])
        words, texts = words[:-2], texts[:-2]
    if len(texts) != 3 + 3 * tapes or texts[1 + tapes] != "->":
        shape = " ".join(["state", *["symbol"] * tapes, "->", *["symbol"] * tapes, *["move"] * tapes, "state"])
        _refuse("this rule has the wrong number of words", whole, f"a rule is `{shape}`")
    moves = words[2 + 2 * tapes : 2 + 3 * tapes]
    for word in moves:
        if word.text not in MOVES:
            _refuse(f"{word.text!r:.40} is not a move", word.span, "moves are L, R and S (stay)")
    return MachineRule(
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
        chance = Fraction(word.text[:40])
    except (ValueError, ZeroDivisionError):
        chance = Fraction(0)
    if not 0 < chance <= 1:
        _refuse(f"{word.text!r:.40} is not a probability", word.span, "write a fraction, as in `: 1/3`, or `: 0.25`")
    return chance


def _refuse(what: str, location: Span, hint: str) -> NoReturn:
    raise CapaxError("bad-machine", what, location, hint)
