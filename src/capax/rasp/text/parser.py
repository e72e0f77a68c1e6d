"""Text to statements: one at a time, with errors kept in their place and nothing lost.

The LALR parser is fed token by token until a statement is whole. A statement that does not
parse is reported and skipped up to its `;` (or, where a `;` is missing at the end of a line, up
to that line's end), so that the rest of the text is still read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lark import Lark, Token, UnexpectedToken
from lark.lark import PostLex

from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp.ir.ops import Precedence, calls, infix
from capax.rasp.text.builder import SyntaxBuilder
from capax.rasp.text.grouping_warnings import surprises
from capax.rasp.text.parser_tables import parser_from, tables_text
from capax.rasp.text.syntax import Evaluate, Expr, Statement
from capax.rasp.text.syntax_errors import complain, complain_escape, complain_unfinished


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text read: its statements and errors in order, its warnings, and whether it is unfinished."""

    source: Source
    items: tuple[Statement | CapaxError, ...]
    unfinished: bool

    @property
    def statements(self) -> list[Statement]:
        """The statements that were understood."""
        return [item for item in self.items if isinstance(item, Statement)]

    @property
    def errors(self) -> list[CapaxError]:
        """What was not understood."""
        return [item for item in self.items if isinstance(item, CapaxError)]

    @property
    def notices(self) -> list[Notice]:
        """The warnings about how the statements group."""
        return [notice for statement in self.statements for notice in surprises(statement, self.source)]


class _KeepBad(PostLex):
    """Keeps the terminal for stray characters, which no rule uses, so that lexing never fails."""

    always_accept = ("BAD",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


def _file(name: str) -> str:
    return files("capax.rasp.text").joinpath(name).read_text(encoding="utf-8")


_STRING = r'STRING: /"(?:\\[^\n]|[^"\\\n])*"/'
_STRING_WITHOUT_ESCAPES = r'STRING: /"[^"\n]*"/'


def build_parser(grammar: str, *, escapes: bool = True) -> Lark:
    """The parser of a grammar, whose tables are made now."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        keep_all_tokens=True,
        maybe_placeholders=True,
        transformer=SyntaxBuilder(escapes=escapes),
        postlex=_KeepBad(),
    )


def full_grammar() -> str:
    """The grammar with the terminals of the op table."""
    terminals = {level.name: infix(level) for level in Precedence}
    terminals["RESERVED"] = [op.symbol for op in calls("reserved")]
    return _file("grammar.lark") + "".join(f"{_terminal(name, symbols)}\n" for name, symbols in terminals.items())


def _terminal(name: str, symbols: list[str]) -> str:
    """The definition of a terminal that is one of several words, or of several signs."""
    if all(symbol.isalpha() for symbol in symbols):
        return f"{name}.2: /({'|'.join(symbols)})(?![A-Za-z_0-9])/"
    return f"{name}: " + " | ".join(f'"{symbol}"' for symbol in symbols)


def fresh_tables() -> str:
    """What `grammar.json` should hold."""
    grammar = full_grammar()
    return tables_text(build_parser(grammar), grammar)


@cache
def _lark(escapes: bool = True) -> Lark:
    """The parser; without escapes a backslash in a string is a character, as in the reference."""
    grammar = full_grammar()
    if not escapes:
        assert _STRING in grammar
        return build_parser(grammar.replace(_STRING, _STRING_WITHOUT_ESCAPES), escapes=False)
    return parser_from(_file("grammar.json"), grammar, SyntaxBuilder(), _KeepBad()) or build_parser(grammar)


def tokenize(text: str, *, escapes: bool = True) -> list[Token]:
    """The tokens of a text, without white space and comments; never fails."""
    return list(_lark(escapes).lex(text))


def open_braces(text: str) -> int:
    """How many blocks and dictionaries are open at the end of a text."""
    return sum((token.type == "LBRACE") - (token.type == "RBRACE") for token in tokenize(text))


def parse(source: Source, *, escapes: bool = True) -> Parsed:
    """The statements of a text; its last item is an error if the text ends too early.

    Without `escapes` a backslash in a string stands for itself, as in the reference implementation.
    """
    items: list[Statement | CapaxError] = []
    tokens = tokenize(source.text, escapes=escapes)
    unfinished = False
    start = 0
    while start < len(tokens):
        unit = _Unit(source, tokens, start, escapes=escapes)
        items.append(unit.read())
        unfinished = unit.ran_out
        start = unit.stop
    return Parsed(source, tuple(items), unfinished)


def parse_expression(source: Source) -> Expr:
    """The single expression that a text holds, without a closing `;`."""
    ended = source.text.rstrip().endswith(";")
    parsed = parse(source if ended else Source(source.name, source.text + "\n;"))
    if len(parsed.items) == 1 and isinstance(parsed.items[0], Evaluate):
        return parsed.items[0].expr
    for error in (parse(source) if parsed.errors else parsed).errors:
        if error.code != "missing-semicolon":
            raise error
    what = "expected one expression" if source.text.strip() else "expected an expression, but the text is empty"
    raise CapaxError("syntax", what, Span(source, 0, len(source.text)))


class _Unit:
    """One statement being read from `start`; `stop` is where the next begins."""

    def __init__(self, source: Source, tokens: list[Token], start: int, *, escapes: bool) -> None:
        self.source, self.tokens, self.start, self.escapes = source, tokens, start, escapes
        self.stop = start
        self.ran_out = False
        self.parser = _lark(escapes).parse_interactive()

    def read(self) -> Statement | CapaxError:
        """The statement, or the error that stands in its place."""
        try:
            for token in self._until_whole():
                wrong = complain_escape(self.source, token) if self.escapes else None
                if wrong is not None:
                    self._skip(self.stop - 1)
                    return wrong
                self.parser.feed_token(token)
        except UnexpectedToken:
            return self._recover()
        except CapaxError as error:  # a number too large, seen when the token after it was read
            at = self.stop - 2
            self._skip(at)
            return error.at(self._span(self.tokens[at]))
        if self.ran_out:
            return complain_unfinished(self.source, self.tokens[self.start :], self.parser.accepts())
        statement: Statement = self.parser.feed_eof(self.tokens[self.stop - 1])
        return statement

    def _until_whole(self) -> Iterator[Token]:
        """The tokens up to the end of the statement; sets `stop` past the last one given."""
        while self.stop < len(self.tokens):
            token = self.tokens[self.stop]
            self.stop += 1
            yield token
            if self._ends_after(token) and self._is_whole():
                return
        self.ran_out = True

    def _is_whole(self) -> bool:
        """Whether the parser could stop here. The table alone does not tell: its states are merged."""
        if "$END" not in self.parser.choices():
            return False
        try:
            self.parser.copy(deepcopy_values=False).feed_eof()
        except UnexpectedToken:
            return False
        return True

    def _ends_after(self, token: Token) -> bool:
        """Whether a statement that may end here does: at `;`, at `}`, and commands at the line's end."""
        if token.type == "SEMICOLON":
            return True
        following = self.tokens[self.stop] if self.stop < len(self.tokens) else None
        if following is not None and following.type == "SEMICOLON":
            return False
        return token.type == "RBRACE" or following is None or following.line != token.end_line

    def _recover(self) -> CapaxError:
        bad = self.stop - 1
        new_line = bad > self.start and self.tokens[bad].line != self.tokens[bad - 1].end_line
        error = complain(self.source, self.tokens, self.start, bad, self.parser.accepts(), new_line=new_line)
        inside = sum((t.type == "LBRACE") - (t.type == "RBRACE") for t in self.tokens[self.start : bad])
        if error.code == "missing-semicolon" and new_line and not inside:
            self.stop = bad
        elif self.tokens[bad] == '"':
            line = self.tokens[bad].line
            later = (i for i in range(bad, len(self.tokens)) if self.tokens[i].line != line)
            self.stop = next(later, len(self.tokens))
        else:
            self._skip(bad)
        return error

    def _skip(self, bad: int) -> None:
        """Moves `stop` past the statement that holds the bad token."""
        depth = 0
        for i in range(self.start, len(self.tokens)):
            kind = self.tokens[i].type
            depth += (kind == "LBRACE") - (kind == "RBRACE")
            if i >= bad and depth <= 0 and kind in ("SEMICOLON", "RBRACE"):
                after = self.tokens[i + 1 : i + 2]
                self.stop = i + 2 if kind == "RBRACE" and after and after[0].type == "SEMICOLON" else i + 1
                return
        self.stop = len(self.tokens)

    def _span(self, token: Token) -> Span:
        return Span(self.source, token.start_pos or 0, token.end_pos or 0)
