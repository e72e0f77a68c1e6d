"""RASP for Pygments, which colours it in documents; `editors/rasp.tmLanguage.json` is the same for editors."""

import json
import re
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from capax.rasp.ir.ops import calls, operator_signs, operator_words

KEYWORDS = ("def", "return", "for", "repeat", "state", "in", "if", "else")
COMMANDS = ("set", "show", "example", "examples", "load", "draw", "exit", "quit")
LOGIC = tuple(operator_words())
OPERATIONS = tuple(op.symbol for op in calls("reserved", "builtin"))
TRIPLES = ("select3", "on_first", "on_second", "on_keys")
BUILT_IN = (*TRIPLES, "select", "aggregate", "best", "selector_width", *OPERATIONS, "range", "zip", "len")
CONSTANTS = (
    "tokens",
    "tokens_str",
    "tokens_int",
    "tokens_float",
    "tokens_bool",
    "tokens_asis",
    "indices",
    "length",
    "full_s",
)
TRUTHS = ("True", "False")
SIGNS = "|".join(map(re.escape, [*operator_signs(), "="]))

_STRING = r'"(?:\\[^\n]|[^"\\\n])*"'
_NAME = "[A-Za-z_][A-Za-z_0-9]*"


def editor_grammar() -> str:
    """What `editors/rasp.tmLanguage.json` holds: the same language as a TextMate grammar."""
    number = r"\b[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|\b[0-9]+(?:[eE][+-]?[0-9]+)?\b"
    captures = {"1": {"name": "keyword.control.rasp"}, "2": {"name": "entity.name.function.rasp"}}
    named = {
        "keyword.control": _any_word(KEYWORDS),
        "keyword.other": _any_word(COMMANDS),
        "keyword.operator.logical": _any_word(LOGIC),
        "constant.language": _any_word(TRUTHS),
        "support.function": _any_word(BUILT_IN),
        "support.constant": _any_word(CONSTANTS),
        "keyword.operator": SIGNS,
        "punctuation": r"[()\[\]{},;:]",
    }
    patterns = [
        _pattern("comment.line.number-sign", "#.*$"),
        _pattern("string.quoted.double", _STRING),
        _pattern("constant.numeric", number),
        {"match": rf"\b(def)\s+({_NAME})", "captures": captures},
        *(_pattern(scope, match) for scope, match in named.items()),
    ]
    grammar = {"name": "RASP", "scopeName": "source.rasp", "fileTypes": ["rasp"], "patterns": patterns}
    return json.dumps(grammar, indent=2) + "\n"


def _any_word(words_: tuple[str, ...]) -> str:
    return rf"\b(?:{'|'.join(words_)})\b"


def _pattern(scope: str, match: str) -> dict[str, object]:
    return {"name": f"{scope}.rasp", "match": match}


def _whole(listed: tuple[str, ...]) -> Any:
    return words(listed, prefix=r"(?<![A-Za-z_0-9])", suffix=r"(?![A-Za-z_0-9])")


class RaspLexer(RegexLexer):  # type: ignore[misc]  # it has no types
    """The tokens of a RASP text."""

    name = "RASP"
    aliases: ClassVar = ["rasp"]
    filenames: ClassVar = ["*.rasp"]
    url = "https://arxiv.org/abs/2106.06981"
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (_STRING, String.Double),
            (r"[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (_whole(KEYWORDS), Keyword),
            (_whole(COMMANDS), Keyword.Reserved),
            (_whole(LOGIC), Operator.Word),
            (_whole(TRUTHS), Keyword.Constant),
            (_whole(BUILT_IN), Name.Builtin),
            (_whole(CONSTANTS), Name.Constant),
            (_NAME, Name),
            (SIGNS, Operator),
            (r"[()\[\]{},;:]", Punctuation),
            (r".", Error),
        ]
    }
