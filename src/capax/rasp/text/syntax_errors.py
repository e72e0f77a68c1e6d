"""What to say about text that does not parse: the location, the likely cause, and what to write."""

from collections.abc import Collection

from lark import Token

from capax.errors import CapaxError, Source, Span
from capax.rasp.ir.ops import calls, operator_words
from capax.rasp.ir.strings import ESCAPES_TEXT, bad_escape

KEYWORDS = {
    "set", "show", "example", "examples", "on", "off", "selector", "s-op", "load", "draw", "exit", "quit", "def",
    "return", "for", "in", "if", "else", *operator_words(), *(op.symbol for op in calls("reserved")),
}  # fmt: skip
"""The words that cannot be names."""

COMMAND_WORDS = {"SET", "SHOW", "EXAMPLES", "WHICH", "FULL_DISPLAY", "EXIT"}

_CLOSERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE", "SELECT": "RPAR", "AGGREGATE": "RPAR"}

_EXPECTED = {
    "SEMICOLON": "`;`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "ELSE": "`else`",
    "EXAMPLE": "`example`",
    "SWITCH": "`on` or `off`",
    "EQUAL": "`=`",
    "RETURN": "`return`",
    "LBRACE": "`{`",
    "STRING": "a string",
    "IN": "`in`",
}

_STARTS = {"NAME", "DEF", "FOR", "REPEAT", "STATE", "LOAD", "DRAW", "RETURN", *COMMAND_WORDS}
"""What a statement may start with, expressions aside."""


def complain(
    source: Source, tokens: list[Token], start: int, bad: int, accepts: Collection[str], *, new_line: bool
) -> CapaxError:
    """The error for a statement that starts at token `start` and breaks at token `bad`."""
    token = tokens[bad]
    before = tokens[bad - 1] if bad > start else None
    ends_here = "SEMICOLON" in accepts and before is not None
    lexical = _lexical(source, token, before)
    if lexical is not None:
        return lexical
    if before is not None and ends_here and new_line and token.type in _STARTS:
        end = before.end_pos or 0
        return CapaxError(
            "missing-semicolon",
            "the statement does not end with `;`",
            Span(source, end - 1, end),
            "write `;` at its end",
        )
    error = (
        _about_words(source, token, before, accepts)
        or _about_signs(source, token, before, accepts)
        or _about_brackets(source, tokens, start, bad, accepts)
    )
    if error is not None:
        return error
    where = _span(source, token)
    if ends_here and token.type in ("NAME", "INT", "FLOAT", "STRING"):
        what = f"`{token}` cannot follow `{before}`"
        return CapaxError("syntax", what, where, "write `;` to end the statement, or an operator between them")
    return CapaxError("syntax", f"unexpected `{token}`", where, _wanted(accepts))


def complain_unfinished(source: Source, tokens: list[Token], accepts: Collection[str]) -> CapaxError:
    """The error for a text that ends inside the statement made of these tokens."""
    opened = _open_brackets(tokens)
    if opened:
        last = opened[-1]
        return CapaxError(
            "unclosed",
            f"`{str(last)[-1]}` is never closed",
            _span(source, last),
            f"close it with {_EXPECTED[_CLOSERS[last.type]]}",
        )
    end = tokens[-1].end_pos or 0
    if "SEMICOLON" in accepts:
        where = Span(source, end - 1, end)
        return CapaxError("missing-semicolon", "the statement does not end with `;`", where, "write `;` at its end")
    return CapaxError("unclosed", "the text ends inside a statement", _span(source, tokens[-1]), _wanted(accepts))


def complain_escape(source: Source, token: Token) -> CapaxError | None:
    """The error for a string with an escape that means nothing, pointing at the escape; None for every other token."""
    bad = bad_escape(str(token)) if token.type == "STRING" else None
    if bad is None:
        return None
    start = token.start_pos or 0
    escape = str(token)[slice(*bad)]
    what = f"unknown escape `{escape}`"
    if escape[1] in "uU":
        digits = {"u": "four", "U": "eight"}[escape[1]]
        what = f"`\\{escape[1]}` is followed by {digits} hexadecimal digits, the number of a character (at most 10FFFF)"
    hint = f"escapes are {ESCAPES_TEXT}; write `\\\\` for a backslash"
    return CapaxError("bad-character", what, Span(source, start + bad[0], start + bad[1]), hint)


def _open_brackets(tokens: list[Token]) -> list[Token]:
    opened: list[Token] = []
    for token in tokens:
        if token.type in _CLOSERS:
            opened.append(token)
        elif token.type in _CLOSERS.values() and opened:
            opened.pop()
    return opened


def _lexical(source: Source, token: Token, before: Token | None) -> CapaxError | None:
    where = _span(source, token)
    if token.type == "BAD":
        if token == '"':
            return CapaxError("unclosed", "the string is not closed on its line", where, _how_to_close(source, where))
        if token in ("'", "“", "”", "‘", "’", "`"):
            return CapaxError("bad-character", "strings need straight double quotes", where, 'write "..."')
        hints = {"!": "use `!=` or `not`", ".": "there are no attributes", "&": "use `and`", "|": "use `or`"}
        hint = hints.get(str(token), "names are made of the letters a to z, digits and _")
        return CapaxError("bad-character", f"`{token}` is not part of the language", where, hint)
    if token.type == "NAME" and before is not None and before.type == "INT" and before.end_pos == token.start_pos:
        where = _span(source, before).to(where)
        return CapaxError("syntax", f"`{before}{token}` is not a name", where, "names start with a letter or _")
    return None


def _how_to_close(source: Source, where: Span) -> str:
    """How to end a string that is open; a backslash before a quote is the likely cause where there is one."""
    line = source.text[where.start : source.text.find("\n", where.start) % (len(source.text) + 1)]
    if '\\"' in line:
        return 'end it with `"`; `\\"` is a quote inside the string, and `\\\\` is a backslash'
    return 'end it with `"`'


def _about_words(source: Source, token: Token, before: Token | None, accepts: Collection[str]) -> CapaxError | None:
    """Complaints about words of the language in the wrong place."""
    where = _span(source, token)
    if before is not None and token.type == "EQUAL" and str(before) in KEYWORDS:
        return _keyword(_span(source, before), before)
    subtraction = before == "s-op" and "EXAMPLES" in accepts
    if subtraction or (token == "s-op" and "SEMICOLON" in accepts):
        span = _span(source, before) if before is not None and subtraction else where
        return CapaxError("syntax", "`s-op` is one word of the language", span, "write `s - op` to subtract")
    if token.type == "RETURN":
        return CapaxError("syntax", "`return` is allowed only once, at the end of a def", where)
    if token.type == "IF" and "SEMICOLON" not in accepts and "NAME" in accepts:
        return CapaxError("syntax", "`if` is not allowed here", where, "a condition is written `a if c else b`")
    if token.type in COMMAND_WORDS and "RETURN" in accepts:
        what = f"`{token}` is a command, and commands are allowed only at the top level"
        return CapaxError("syntax", what, where, "move it out of the function or loop")
    if token.type == "NOT" and "IN" in accepts:
        return CapaxError("syntax", "there is no `not in`", where, "write `not (x in list)`")
    if str(token) in KEYWORDS and "NAME" in accepts:
        return _keyword(where, token)
    return None


def _keyword(where: Span, token: Token) -> CapaxError:
    what = f"`{token}` is a word of the language, not a name"
    return CapaxError("keyword", what, where, "choose another name" if token.isidentifier() else None)


def _about_signs(source: Source, token: Token, before: Token | None, accepts: Collection[str]) -> CapaxError | None:
    """Complaints about `=` and `:`."""
    where = _span(source, token)
    if token.type == "EQUAL":
        hint = "write `==` to compare; assignments are `name = value;`, not chained and without `+=`"
        return CapaxError("syntax", "`=` is not allowed here", where, hint)
    if token.type == "COLON":
        return CapaxError("syntax", "`:` is not allowed here", where, "there are no slices; `:` is for dictionaries")
    return None


def _about_brackets(
    source: Source, tokens: list[Token], start: int, bad: int, accepts: Collection[str]
) -> CapaxError | None:
    """Complaints about closing brackets."""
    token, where = tokens[bad], _span(source, tokens[bad])
    if token.type not in _CLOSERS.values():
        return None
    if token.type == "RBRACE" and "RETURN" in accepts:
        return CapaxError("syntax", "the function has no `return`", where, "end the body with `return value;`")
    if tokens[bad - 1].type == "LBRACE" and "DEF" in accepts:
        return CapaxError("syntax", "the body of the loop is empty", where, "write at least one statement in it")
    if "ELSE" in accepts:
        comprehension = any(t.type == "FOR" for t in tokens[start:bad]) and token.type != "RPAR"
        hint = "comprehensions have no filter" if comprehension else "a condition is written `a if c else b`"
        return CapaxError("syntax", "the `if` has no `else`", where, hint)
    if not _open_brackets(tokens[start:bad]):
        return CapaxError("syntax", f"`{token}` has no opening bracket", where, "remove it, or open a bracket before")
    return None


def _wanted(accepts: Collection[str]) -> str | None:
    if set(accepts) == {"STATE"}:
        return "a loop begins with its states: `state NAME = VALUE;`"
    expected = [text for kind, text in _EXPECTED.items() if kind in accepts]
    if "INT" in accepts:
        expected = ["an expression", *(w for w in expected if w not in ("a string", "`{`"))]
    elif "NAME" in accepts:
        expected.insert(0, "a name")
    if len(expected) > 1 and "`in`" in expected:
        expected.remove("`in`")  # one operator of many
    return f"expected {' or '.join(expected[:4])}" if expected else None


def _span(source: Source, token: Token) -> Span:
    return Span(source, token.start_pos or 0, token.end_pos or 0)
