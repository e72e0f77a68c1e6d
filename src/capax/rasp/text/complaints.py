"""What to say about text that does not parse: the place, the likely cause, and what to write."""

from collections.abc import Collection

from lark import Token

from capax.errors import CapaxError, Source, Span

KEYWORDS = {
    "set", "show", "example", "examples", "on", "off", "selector", "s-op", "load", "draw", "exit",
    "quit", "def", "return", "for", "in", "if", "else", "and", "or", "not", "round", "indicator",
    "range", "zip", "len",
}  # fmt: skip
"""The words that cannot be names."""

_PAIRS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE", "SELECT": "RPAR", "AGGREGATE": "RPAR"}

_EXPECTED = {
    "SEMICOLON": "`;`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "ELSE": "`else`",
    "IN": "`in`",
    "EXAMPLE": "`example`",
    "SWITCH": "`on` or `off`",
    "EQUAL": "`=`",
    "COMPARISON": "a comparison such as `==`",
    "STRING": "a string",
    "RETURN": "`return`",
    "LBRACE": "`{`",
}


def complain(
    source: Source, tokens: list[Token], start: int, bad: int, choices: Collection[str], *, new_line: bool
) -> CapaxError:
    """The error for a statement that starts at token `start` and breaks at token `bad`."""
    token = tokens[bad]
    where = _span(source, token)
    before = tokens[bad - 1] if bad > start else None
    special = _lexical(token, before, where) or _structural(token, before, where, choices)
    if special is not None:
        return special
    if "SEMICOLON" in choices and before is not None and (new_line or token.type == "NAME"):
        return _missing_semicolon(source, before, token, new_line)
    if token.type == "NAME" and "NAME" not in choices and before is not None and before.type == "NAME":
        return CapaxError("syntax", f"`{token}` cannot follow `{before}`", where, "is an operator or a `,` missing?")
    return CapaxError("syntax", f"unexpected `{token}`", where, _wanted(choices))


def complain_unfinished(source: Source, tokens: list[Token], choices: Collection[str]) -> CapaxError:
    """The error for a text that ends inside the statement made of these tokens."""
    open_brackets: list[Token] = []
    for token in tokens:
        if token.type in _PAIRS:
            open_brackets.append(token)
        elif token.type in _PAIRS.values() and open_brackets:
            open_brackets.pop()
    if open_brackets:
        opened = open_brackets[-1]
        return CapaxError(
            "unclosed",
            f"`{str(opened)[-1]}` is never closed",
            _span(source, opened),
            f"close it with {_EXPECTED[_PAIRS[opened.type]]}",
        )
    if "SEMICOLON" in choices:
        return _missing_semicolon(source, tokens[-1], None, True)
    return CapaxError("unclosed", "the text ends inside a statement", _span(source, tokens[-1]), _wanted(choices))


def _missing_semicolon(source: Source, before: Token, token: Token | None, new_line: bool) -> CapaxError:
    end = before.end_pos or 0
    if new_line:
        what, hint = "the statement is not ended by `;`", "write `;` at its end"
    else:
        what, hint = f"`{token}` cannot follow here", "write `;` to end the statement, or an operator"
    return CapaxError("missing-semicolon", what, Span(source, end - 1, end), hint)


def _lexical(token: Token, before: Token | None, where: Span) -> CapaxError | None:
    if token.type == "BAD":
        if token == '"':
            return CapaxError("unclosed", "the string is not closed on its line", where, 'end it with `"`')
        if token == "'":
            return CapaxError("bad-character", "strings stand in double quotes", where, 'write "..."')
        hint = {"!": "use `!=` or `not`", ".": "there are no attributes", "&": "use `and`", "|": "use `or`"}
        return CapaxError(
            "bad-character",
            f"`{token}` is not part of the language",
            where,
            hint.get(str(token), "remove it"),
        )
    if token.type == "NAME" and before is not None and before.type == "INT" and before.end_pos == token.start_pos:
        return CapaxError("syntax", f"`{before}{token}` is not a name: names start with a letter or _", where)
    return None


def _structural(token: Token, before: Token | None, where: Span, choices: Collection[str]) -> CapaxError | None:
    if "s-op" in (token, before) and not {"EXAMPLE", "EXAMPLES"} & {token.type, *choices}:
        return CapaxError("syntax", "`s-op` is one word of the language", where, "write `s - op` to subtract")
    if token.type == "EQUAL" and before is not None and str(before) in KEYWORDS:
        what = f"`{before}` is a word of the language, not a name"
        return CapaxError("keyword", what, where, "choose another name")
    if token.type == "EQUAL":
        return CapaxError(
            "syntax",
            "`=` cannot stand here",
            where,
            "write `==` to compare; assignments are `name = value;`, not chained and without `+=`",
        )
    if token.type == "COLON":
        return CapaxError("syntax", "`:` cannot stand here", where, "there are no slices; `:` is for dictionaries")
    if token.type == "RETURN":
        return CapaxError("syntax", "`return` stands only once, at the end of a def", where)
    if "RETURN" in choices and token.type == "RBRACE":
        return CapaxError("syntax", "the function has no `return`", where, "end the body with `return value;`")
    if token.type == "IF" and "SEMICOLON" not in choices:
        return CapaxError(
            "syntax",
            "`if` cannot stand here",
            where,
            "a condition is `a if c else b`; comprehensions have no filter",
        )
    if (
        str(token) in KEYWORDS
        and "NAME" in choices
        and (before is None or "LPAR" not in choices or token.type not in ("LOGIC", "IN"))
    ):
        return CapaxError("keyword", f"`{token}` is a word of the language, not a name", where, "choose another name")
    return None


def _wanted(choices: Collection[str]) -> str | None:
    wanted = [text for kind, text in _EXPECTED.items() if kind in choices]
    if "NAME" in choices and "INT" in choices:
        wanted.insert(0, "an expression")
    elif "NAME" in choices:
        wanted.insert(0, "a name")
    return f"expected {' or '.join(wanted[:4])}" if wanted else None


def _span(source: Source, token: Token) -> Span:
    return Span(source, token.start_pos or 0, token.end_pos or 0)
