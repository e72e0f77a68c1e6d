"""Simplified stateless counter machines as text.

    # as many a as b, and some c          a comment, up to the end of the line
    a -> +1  0                            reading an a adds 1 to the first counter and nothing to the second
    b -> -1  0
    c ->  0 +1
    accept 0 !                            accepted if the first counter is zero and the second is not; `*` is either

There may be several lines `accept`; one that fits is enough. Symbols are any words without blanks, quoted if they begin
with `#` or `'` or are `accept`. The order of the counters is that of the numbers in each line.
"""

from typing import Final, NoReturn

from capax.errors import CapaxError, Source, Span
from capax.formal.counters.machine import (
    ANY_MARK,
    LARGEST_STEP,
    MOST_COUNTERS,
    MOST_SYMBOLS,
    OTHER_MARK,
    ZERO_MARK,
    CounterMachine,
)
from capax.formal.turing.text import Word, lines_of

RULE: Final = "a line is `a -> +1 -1`: a symbol, and a number for each counter"
ACCEPT: Final = "a line is `accept 0 ! *`: for each counter whether it is zero (0), is not (!), or either (*)"


def parse_counters(source: Source) -> CounterMachine:
    """The machine of a text; a bad line is an error that points at it."""
    steps: dict[str, tuple[int, ...]] = {}
    patterns: list[tuple[str, ...]] = []
    counters: int | None = None
    first: Span | None = None
    for words in lines_of(source):
        whole = words[0].span.to(words[-1].span)
        if words[0].text == "accept":
            patterns.append(_pattern(words, whole))
            count = len(patterns[-1])
        elif len(words) > 1 and words[1].text == "->":
            count = len(_add_step(steps, words, whole))
        else:
            _refuse("this is neither an update nor a line `accept`", whole, RULE)
        counters, first = (count, whole) if counters is None else (counters, first)
        if count != counters and first is not None:
            what = f"this line is about {_many(count)}, and line {first.line} about {_many(counters)}"
            _refuse(what, whole, "every line has an entry for each counter")
    if not steps or not patterns:
        missing, hint = ("update", RULE) if not steps else ("line `accept`", ACCEPT)
        raise CapaxError("bad-machine", f"{source.name} has no {missing}", hint=hint)
    return CounterMachine(tuple(steps), tuple(steps.values()), tuple(patterns))


def _many(count: int) -> str:
    return f"{count} counter{'s' * (count != 1)}"


def _add_step(steps: dict[str, tuple[int, ...]], words: list[Word], whole: Span) -> tuple[int, ...]:
    """Reads an update into `steps`."""
    symbol = words[0].text
    if symbol[0] == "'" and len(symbol) > 2 and symbol[-1] == "'":
        symbol = symbol[1:-1]
    if symbol in steps:
        _refuse(
            f"{symbol!r:.40} has an update already", words[0].span, "a machine without state has one for each symbol"
        )
    if len(steps) >= MOST_SYMBOLS or len(words) - 2 > MOST_COUNTERS:
        _refuse(f"at most {MOST_SYMBOLS} symbols and {MOST_COUNTERS} counters are read", whole, RULE)
    if len(words) < 3:
        _refuse("this update has no number", whole, RULE)
    steps[symbol] = tuple(_number(word) for word in words[2:])
    return steps[symbol]


def _number(word: Word) -> int:
    digits = word.text[1:] if word.text[0] in "+-" else word.text
    if not digits.isdecimal() or not digits.isascii():
        _refuse(f"{word.text!r:.40} is not a whole number", word.span, "updates are numbers such as +1, 0 and -2")
    if len(digits) > 6 or int(digits) > LARGEST_STEP:
        _refuse(f"an update adds at most {LARGEST_STEP:,}", word.span, "write smaller numbers")
    return int(word.text)


def _pattern(words: list[Word], whole: Span) -> tuple[str, ...]:
    if len(words) < 2:
        _refuse("this line accepts nothing", whole, ACCEPT)
    for word in words[1:]:
        if word.text not in (ZERO_MARK, OTHER_MARK, ANY_MARK):
            _refuse(f"{word.text!r:.40} is not 0, ! or *", word.span, ACCEPT)
    if len(words) - 1 > MOST_COUNTERS:
        _refuse(f"at most {MOST_COUNTERS} counters are read", whole, ACCEPT)
    return tuple(word.text for word in words[1:])


def printed_counters(machine: CounterMachine) -> str:
    """The machine as text that `parse_counters` reads as the same machine."""
    lines = [
        f"{_quoted(symbol)} -> {' '.join(f'{number:+d}' if number else '0' for number in step)}"
        for symbol, step in zip(machine.alphabet, machine.steps, strict=True)
    ]
    return "\n".join([*lines, *(f"accept {' '.join(pattern)}" for pattern in machine.patterns), ""])


def _quoted(symbol: str) -> str:
    return f"'{symbol}'" if symbol[0] in "#'" or symbol == "accept" else symbol


def _refuse(what: str, location: Span, hint: str) -> NoReturn:
    raise CapaxError("bad-machine", what, location, hint)
