"""The names that the editor completes: the words of the language and its library."""

from capax.app.repl.help import WORDS
from capax.rasp import library
from capax.rasp.ir.ops import calls, operator_words
from capax.rasp.text.primitives import BUILTINS, OVER_TRIPLES

KEYWORDS = ("def", "return", "for", "repeat", "state", "in", "if", "else", *operator_words(), "load", "True", "False")
OPERATIONS = tuple(op.symbol for op in calls("reserved", "builtin"))
LANGUAGE = ("select", *OVER_TRIPLES, "aggregate", "best", *OPERATIONS, "range", "zip", "len", "tokens", "indices")
TOKENS = ("tokens_int", "tokens_float", "tokens_bool", "tokens_str", "tokens_asis")


def names() -> list[dict[str, str]]:
    """Every name with its kind, a word about where it is from, and what it is."""
    entries = [_word(name, "keyword") for name in KEYWORDS]
    entries += [_word(name, "function") for name in (*LANGUAGE, *TOKENS)]
    for entry in library.entries().values():
        standard = entry.module == library.STANDARD
        call = f"({', '.join(entry.params)})" if entry.params is not None else ""
        entries.append(
            {
                "label": entry.name,
                "kind": "library",
                "type": "function" if entry.params is not None else "constant",
                "detail": call + ("" if standard else f'  load "{entry.module}"'),
                "info": entry.doc,
            }
        )
    return entries


def _word(name: str, type_: str) -> dict[str, str]:
    return {"label": name, "kind": "word", "type": type_, "detail": "", "info": WORDS.get(name) or _doc(name)}


def _doc(name: str) -> str:
    return BUILTINS[name].doc if name in OPERATIONS or name in OVER_TRIPLES else ""
