"""What the answers of a model are claimed to be: the program's, or those of the program with later positions hidden.

A model that was compiled as causal computes its program with selectors that see no later position. Every text that
calls its answers right, certified or proved names that program, and a word on which the program as written differs.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from capax.model.provenance import Provenance, Record

HIDDEN: Final = "with later positions hidden"
MOST: Final = 60
"""Longer words and answers are cut."""
LARGE: Final = 200
"""Integers of more bits are not printed."""


def claimed_program(causal: bool, name: str = "the program") -> str:
    """What answers are compared with, in words: the program, or the program with later positions hidden."""
    return f"{name} {HIDDEN}" if causal else name


def causal_note(change: Record | None) -> str | None:
    """What hiding later positions changes, in words; None where nothing is known of it.

    `change` is the record `causal_change` of a model: as it comes from a file its entries may be anything.
    """
    if change is None:
        return None
    word, words = change.get("word"), change.get("words")
    if change.get("changes") is True and isinstance(word, list):
        whole = change.get("all_up_to")
        first = "first" if isinstance(whole, int) and len(word) <= whole + 1 else "first of the words tried"
        sides = f"{_outcome(change.get('program'))}, the weights give {_outcome(change.get('causal'))}"
        return f"the program as written answers otherwise, {first} on {_word(word)}: it gives {sides}"
    if change.get("changes") is False and type(words) is int:
        return f"hiding them changed no answer on the {words:,} words that were tried"
    return None


def claim(provenance: Provenance) -> str | None:
    """The sentence for a causal model, without its full stop: what it computes and what that changes; else None."""
    if not provenance.causal:
        return None
    note = causal_note(provenance.causal_change)
    return f"it computes {claimed_program(True)}" + (f"; {note}" if note else "")


def _outcome(side: Any) -> str:
    """What a program gave on a word: its values, or an error."""
    if not isinstance(side, Mapping):
        return "something else"
    if "error" in side:
        return f"error[{_cut(str(side['error']))}]"
    values = side.get("values")
    return f"[{_cut(', '.join(map(_value, values)))}]" if isinstance(values, list) else "something else"


def _word(word: list[Any]) -> str:
    if all(isinstance(token, str) and len(token) == 1 for token in word):
        return _quoted(_cut("".join(word)))
    return f"[{_cut(', '.join(map(_value, word)))}]"


def _value(value: Any) -> str:
    """An atom as the language prints it."""
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, str):
        plain = value and value.isprintable() and value not in (" ", ",")
        return value if plain else _quoted(value)
    if isinstance(value, int) and value.bit_length() > LARGE:
        return f"an integer of {value.bit_length():,} bits"
    return f"{value:.6g}" if isinstance(value, float) else f"{value!s}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _cut(text: str) -> str:
    return text if len(text) <= MOST else f"{text[:MOST]}..."
