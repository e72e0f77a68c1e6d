"""`capax recognise` as functions: a language in any form, what is known of it, and models for it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from capax.app.files.read import read_text
from capax.atlas.recognition.from_records import of_named, of_regular
from capax.atlas.recognition.paths import routes
from capax.atlas.recognition.regular import counting
from capax.errors import CapaxError
from capax.formal.acceptance import READS, Read, end_marker, marked
from capax.formal.automata.classification import Classification, classify
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.dfa_json import circuit_from_json, dfa_from_json
from capax.formal.automata.regex import regex_dfa
from capax.formal.circuits.circuit import Circuit
from capax.formal.languages.catalogue import language
from capax.formal.languages.language import Language
from capax.formal.logic.counting import counting_length, counting_printed
from capax.formal.logic.ltl import Letter, LtlLanguage, ltl_dfa, subformulas
from capax.formal.logic.ltl_text import parse_ltl
from capax.model.model import Model
from capax.theorems.base.route import Route, last_answer

MOST_CHECKED = 600
"""A model is tried on all short words, at most so many."""
MOST_GENERATED = 80
"""A model that thinks in tokens is tried on fewer."""
LONGEST_CHECKED = 8
MOST_WORK = 200_000_000
"""Large models are tried on fewer words: parameters times words is at most about this."""
MOST_BUILT = 300
"""Models are not built for automata with more states, unless the route is asked for."""
MOST_PAIRS = 200_000_000
"""Of several models, one with more heads times pairs of places on a word is not asked, unless its route is chosen."""
MOST_PRINTED = 60
"""A counting formula with more parts is not shown."""


@dataclass(frozen=True, slots=True)
class Given:
    """A language in the form in which it was given, with the automaton if it is regular."""

    kind: str
    text: str
    thing: object
    alphabet: tuple[str, ...]
    dfa: Dfa | None
    accepts: Callable[[Sequence[str]], bool]

    @property
    def forms(self) -> tuple[object, ...]:
        """The forms that theorems may have routes for."""
        return (self.thing,) if self.dfa is None or self.thing is self.dfa else (self.thing, self.dfa)


def given_regex(text: str, alphabet: Sequence[str] | None, budget: int) -> Given:
    """The language of a regular expression."""
    dfa = regex_dfa(text, alphabet, budget=budget)
    return Given("regex", text, dfa, dfa.alphabet, dfa, dfa.accepts)


def given_ltl(text: str, alphabet: Sequence[str] | None, budget: int) -> Given:
    """The language of a formula of past temporal logic."""
    formula = parse_ltl(text)
    mine = sorted({part.symbol for part in subformulas(formula) if isinstance(part, Letter)})
    symbols = tuple(alphabet) if alphabet is not None else tuple(mine)
    if not symbols:
        raise CapaxError("bad-formula", "the formula has no letters", hint="give the alphabet: --alphabet ab")
    found = LtlLanguage(formula, symbols)
    return Given("ltl", text, found, symbols, ltl_dfa(found, budget=budget), found.accepts)


def given_file(path: str) -> Given:
    """The language of an automaton in a file."""
    dfa = dfa_from_json(_read(path)).minimal()
    return Given("dfa", path, dfa, dfa.alphabet, dfa, dfa.accepts)


def given_circuit(path: str) -> Given:
    """The language of a circuit in a file: words of bits of one length."""
    circuit = circuit_from_json(_read(path))

    def accepts(word: Sequence[str]) -> bool:
        for place, symbol in enumerate(word):
            if symbol not in ("0", "1"):
                what = f"the symbol {symbol!r:.60} at place {place} is not in the alphabet"
                raise CapaxError("unknown-token", what, hint="a circuit reads the bits 0 and 1")
        return circuit([symbol == "1" for symbol in word])

    return Given("circuit", path, circuit, ("0", "1"), None, accepts)


def given_name(name: str) -> Given:
    """A named language."""
    found = language(name)
    return Given("language", found.name, found, found.alphabet, found.automaton, found.accepts)


def _read(path: str) -> Any:
    try:
        return json.loads(read_text(Path(path)))
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-automaton", f"{path} is not JSON: {error}") from None


@dataclass(frozen=True, slots=True)
class Built:
    """A route with its model, or with the reason why there is none, and how many words it was found right on."""

    route: Route
    model: Model | None
    refused: str = ""
    right: int = 0
    wrong: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """The route as plain data."""
        return {
            "theorem": self.route.theorem,
            "what": self.route.what,
            "read": self.route.read,
            "longest": self.route.lengths,
            "note": self.route.note or None,
            "refused": self.refused or None,
            "size": None if self.model is None else self.model.size.to_json(),
            "right_on": self.right,
            "wrong_on": None if self.wrong is None else list(self.wrong),
        }


def read_read(text: str) -> Read:
    """The way to read an answer that a text names."""
    for read in READS:
        if text == read:
            return read
    hint = "; ".join(f"{name} reads {where}" for name, where in READS.items())
    raise CapaxError("bad-option", f"--read is {' or '.join(READS)}, not {text!r:.60}", hint=hint)


def routes_read(given: Given, max_length: int, read: Read) -> list[Route]:
    """The routes to models that are read at one place; those that think in tokens have an end marker of their own.

    For an end marker these are the routes for the automaton of the words with a marker.
    """
    found = routes(given.forms, max_length)
    if read == "last":
        return found
    own = [route for route in found if route.read == "end"]
    if given.dfa is None:
        return own
    marker = end_marker(given.alphabet)
    new = routes((marked(given.dfa),), max_length + 1)
    return [*(route.with_marker(marker) for route in new if route.read == "last"), *own]


def build_routes(given: Given, max_length: int, *, only: str | None = None, read: Read = "last") -> list[Built]:
    """Every route to a model, built and tried on all short words; with `only`, those of one theorem."""
    found = routes_read(given, max_length, read)
    if only is not None:
        chosen = [route for route in found if only in (route.theorem, f"{route.theorem}: {route.what}")]
        if not chosen:
            offered = ", ".join(dict.fromkeys(route.theorem for route in found)) or "none"
            raise CapaxError("bad-option", f"there is no route {only} for this language", hint=f"routes: {offered}")
        found = chosen
    if only is None and given.dfa is not None and given.dfa.size > MOST_BUILT:
        refused = f"not built, since the automaton has {given.dfa.size:,} states; --route builds it"
        return [Built(route, None, refused) for route in found]
    return [_built(route, given) for route in found]


def _built(route: Route, given: Given) -> Built:
    try:
        model = route.build()
    except CapaxError as error:
        return Built(route, None, error.what)
    origin = replace(model.provenance, read=route.read)
    if route.suffix:
        marker = route.suffix[0]
        origin = replace(origin, end_marker=marker, answer=f"yes or no at the end marker {marker}")
    model = replace(model, provenance=origin)
    most = max(10, min(MOST_CHECKED, MOST_WORK // max(1, model.size.parameters)))
    if route.accepts is not last_answer:
        words = _short_words(given, route, min(most, MOST_GENERATED))
        answers = [route.says(model, word) for word in words]
    else:
        words = _short_words(given, route, most)
        answers = [bool(line[-1]) for line in model.batch([[*word, *route.suffix] for word in words])] if words else []
    wrong = next((word for word, says in zip(words, answers, strict=True) if says != given.accepts(word)), None)
    return Built(route, model, "", len(words) if wrong is None else words.index(wrong), wrong)


def _short_words(given: Given, route: Route, most: int) -> list[tuple[str, ...]]:
    """All short words, as many lengths as there is room for; the empty one if a marker gives it a position."""
    if isinstance(given.thing, Circuit):
        wide = given.thing.inputs
        return list(words_up_to("01", wide, least=wide)) if 2**wide <= most else []
    longest, total = 0, 0
    for length in range(1, min(LONGEST_CHECKED, route.lengths or LONGEST_CHECKED) + 1):
        total += len(given.alphabet) ** length
        if total > most:
            break
        longest = length
    return list(words_up_to(given.alphabet, longest, least=0 if route.suffix else 1))


def recognise(
    given: Given, built: list[Built], word: Sequence[str] | None, *, budget: int, read: Read = "last"
) -> dict[str, Any]:
    """What is known of a language: its classes, a verdict for each kind of transformers, and the models.

    Verdicts are about models that are read where `read` says.
    """
    classes = None if given.dfa is None else classify(given.dfa, budget=budget)
    found: dict[str, Any] = {
        "kind": given.kind,
        "given": given.text,
        "alphabet": list(given.alphabet),
        "what": given.thing.what if isinstance(given.thing, Language) else None,
        "read": read,
        "end_marker": end_marker(given.alphabet) if read == "end" else None,
        "regular": given.dfa is not None,
        "shortest": _shortest(given.dfa),
        "circuit": _circuit(given.thing),
        "classes": None if classes is None else classes.to_json(),
        "counting_formula": _counting(classes, read),
        "verdicts": [verdict.to_json() for verdict in _verdicts(given, classes, read)],
        "routes": [one.to_json() for one in built],
    }
    if word is not None:
        found["word"] = _on_word(given, built, word)
    return found


def _verdicts(given: Given, classes: Classification | None, read: Read) -> tuple[Any, ...]:
    """The verdicts of the atlas."""
    if classes is not None:
        return of_regular(classes, read)
    return of_named(given.thing, read) if isinstance(given.thing, Language) else ()


def _circuit(thing: object) -> dict[str, Any] | None:
    if not isinstance(thing, Circuit):
        return None
    return {"inputs": thing.inputs, "gates": thing.size, "depth": thing.depth, "threshold": not thing.is_boolean}


def _shortest(dfa: Dfa | None) -> list[str] | None:
    found = None if dfa is None else dfa.shortest()
    return None if found is None else list(found)


def _counting(classes: Classification | None, read: Read) -> str | None:
    formula = None if classes is None else counting(classes, read).formula
    return None if formula is None or counting_length(formula) > MOST_PRINTED else counting_printed(formula)


def _on_word(given: Given, built: list[Built], word: Sequence[str]) -> dict[str, Any]:
    answers = []
    for one in built:
        silent = _not_asked(one, word, len(built) == 1)
        says = one.route.says(one.model, word) if one.model is not None and silent is None else None
        which = {"theorem": one.route.theorem, "what": one.route.what, "read": one.route.read}
        answers.append({**which, "accepts": says, "not_asked": silent})
    states = None if given.dfa is None else given.dfa.states(word)
    return {"word": list(word), "accepts": given.accepts(word), "states": states, "models": answers}


def _not_asked(one: Built, word: Sequence[str], chosen: bool) -> str | None:
    """Why a model is not asked about a word; None if it is."""
    if one.model is None:
        return "not built"
    if not word and not one.route.suffix:
        return "no model reads the empty word"
    if one.route.lengths is not None and len(word) > one.route.lengths:
        return f"made for words of at most {one.route.lengths:,} symbols"
    if not chosen and sum(one.model.size.heads) * len(word) ** 2 > MOST_PAIRS:
        return "the word is long for it; --route asks it"
    return None
