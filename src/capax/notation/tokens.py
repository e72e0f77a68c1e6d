"""The words of a small notation, with their locations: what the parsers of formulas read from."""

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from capax.errors import CapaxError, Source, Span

LONGEST: Final = 2_000
"""Longer texts are refused."""
DEEPEST: Final = 60
"""Brackets and operators may stand inside each other at most so deep."""
_TOKEN: Final = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<number>[0-9]+)|(?P<quoted>'[^']+'|\"[^\"]+\")"
    r"|(?P<sign>->|<=|>=|==|!=|//|#<|#>|[-+*%<>=!~&|()\[\]{}.,#])|(?P<bad>\S)"
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A name, a number, a quoted symbol or a sign; the end of the text has the kind `end`."""

    kind: str
    text: str
    span: Span

    @property
    def symbol(self) -> str:
        """The text without its quotes."""
        return self.text[1:-1] if self.kind == "quoted" else self.text


class TokenReader:
    """Reads the words of a text one by one; what cannot be read is an error that points at it."""

    def __init__(self, source: Source, start: int = 0, end: int | None = None, code: str = "bad-formula") -> None:
        self.source = source
        self.code = code
        stop = len(source.text) if end is None else end
        if stop - start > LONGEST:
            what = f"a formula has at most {LONGEST:,} characters, and this has {stop - start:,}"
            raise CapaxError("too-large", what)
        self._words = [
            Lexeme(str(match.lastgroup), match[0], Span(source, match.start(), match.end()))
            for match in _TOKEN.finditer(source.text, start, stop)
        ]
        self._words.append(Lexeme("end", "", Span(source, stop, stop)))
        self._at = 0
        self._depth = 0
        bad = next((word for word in self._words if word.kind == "bad"), None)
        if bad is not None:
            self.refuse(f"{bad.text!r:.20} is not a sign of this notation", bad.span, "symbols are quoted, as in '('")

    @property
    def here(self) -> Lexeme:
        """The next word."""
        return self._words[self._at]

    def ahead(self, by: int = 1) -> Lexeme:
        """A word further on."""
        return self._words[min(self._at + by, len(self._words) - 1)]

    def take(self) -> Lexeme:
        """The next word, read."""
        word = self.here
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def taken(self, *texts: str) -> Lexeme | None:
        """The next word, read, if it is one of some signs or names."""
        return self.take() if self.here.kind in ("sign", "name") and self.here.text in texts else None

    def expect(self, text: str, hint: str) -> Lexeme:
        """The next word, which must be a given sign."""
        word = self.taken(text)
        if word is None:
            self.unexpected(hint)
        return word

    def deeper(self) -> None:
        """Counts one more part inside others; `shallower` ends it."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise CapaxError("too-large", f"more than {DEEPEST} parts of the formula stand inside each other")

    def shallower(self) -> None:
        """Ends a part."""
        self._depth -= 1

    def finish(self, hint: str) -> None:
        """Raises an error if something is left."""
        if self.here.kind != "end":
            self.unexpected(hint)

    def unexpected(self, hint: str) -> NoReturn:
        """Raises the error for a word that cannot stand here."""
        if self.here.kind == "end":
            self.refuse("the formula ends too early", self.here.span, hint)
        self.refuse(f"{self.here.text!r:.60} cannot stand here", self.here.span, hint)

    def refuse(self, what: str, location: Span, hint: str) -> NoReturn:
        """Raises an error at a location."""
        raise CapaxError(self.code, what, location, hint)
