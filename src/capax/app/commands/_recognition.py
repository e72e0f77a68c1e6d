"""The result of `capax recognise`: what is known of a language, and the models that recognise it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from capax.app.commands._columns import WIDTH, columns
from capax.app.options import count
from capax.atlas.recognition.from_records import of_member, of_named, of_regular
from capax.atlas.recognition.language import DescribedLanguage
from capax.atlas.recognition.routes import BuiltRoute
from capax.atlas.recognition.verdict import RecognitionVerdict
from capax.display import Card, parts
from capax.formal.acceptance import READS, Read, end_marker
from capax.formal.automata.classification import Classification, classify
from capax.formal.circuits.circuit import Circuit
from capax.formal.crasp.formula import crasp_formula
from capax.formal.languages.language import Language
from capax.formal.logic.counting import counting_length
from capax.formal.logic.counting_text import counting_printed
from capax.theorems.base.route import Route

MOST_PAIRS: Final = 200_000_000
"""Of several models, one with more heads times pairs of positions is not run on a word, unless its route is named."""
MOST_PRINTED: Final = 60
"""A counting formula with more parts is not shown."""
CLASSES: Final = {
    "piecewise_testable": "piecewise testable",
    "partially_ordered": "partially ordered (R-trivial)",
    "two_variable": "two-variable logic (DA)",
    "star_free": "star-free",
    "in_ac0": "in AC0",
    "solvable": "solvable groups only",
}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model says of a word, or why it was not run on it."""

    route: Route
    accepts: bool | None
    not_asked: str | None

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        return parts(self.route, "theorem", "what", "read") | parts(self, "accepts", "not_asked")

    def render(self) -> str:
        """The answer in a line."""
        says = f"not asked: {self.not_asked}" if self.accepts is None else "yes" if self.accepts else "no"
        return f"  {self.route.theorem}, {self.route.what}: {says}"


@dataclass(frozen=True, slots=True)
class WordAnswer:
    """Whether a word is in the language, the states of the automaton on it, and what the models say."""

    word: tuple[str, ...]
    accepts: bool
    states: list[int] | None
    models: tuple[ModelAnswer, ...]

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        return parts(self)

    def lines(self) -> list[str]:
        """The answer as text."""
        lines = [f"{''.join(self.word) or 'the empty word'}: {'in' if self.accepts else 'not in'} the language"]
        if self.states is not None:
            lines += _wrapped("  states ", " ".join(map(str, self.states)))
        return [*lines, *(one.render() for one in self.models)]


@dataclass(frozen=True, slots=True)
class Recognition(Card):
    """A language: its classes, a verdict for each kind of transformers read at `read`, the models, and a word."""

    language: DescribedLanguage
    read: Read
    classes: Classification | None
    counting_formula: str | None
    verdicts: tuple[RecognitionVerdict, ...]
    built: tuple[BuiltRoute, ...]
    word: WordAnswer | None = None
    file: str | None = None
    picture: str | None = None
    saved: Route | None = None

    @property
    def end_marker(self) -> str | None:
        """The symbol that is put after a word, if answers are read there."""
        return end_marker(self.language.alphabet) if self.read == "end" else None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        formal = self.language.formal
        shortest = None if self.language.dfa is None else self.language.dfa.shortest()
        return (
            {
                "kind": self.language.kind,
                "given": self.language.text,
                "alphabet": list(self.language.alphabet),
                "what": formal.what if isinstance(formal, Language) else None,
                "read": self.read,
                "end_marker": self.end_marker,
                "regular": self.language.dfa is not None,
                "shortest": None if shortest is None else list(shortest),
                "circuit": _circuit_json(formal) if isinstance(formal, Circuit) else None,
                "class": self.language.cls or None,
                "facts": dict(self.language.facts),
                "classes": None if self.classes is None else self.classes.to_json(),
                "counting_formula": self.counting_formula,
                "verdicts": [verdict.to_json() for verdict in self.verdicts],
                "routes": [one.to_json() for one in self.built],
            }
            | ({} if self.word is None else {"word": self.word.to_json()})
            | {"file": self.file, "picture": self.picture}
            | ({} if self.saved is None else {"saved": saved_json(self.saved)})
        )

    def render(self) -> str:
        """The result as text."""
        known = [*self._classes(), *self._verdicts()]
        lines = [*self._head(), *(["", *known] if known else []), *self._routes()]
        if self.word is not None:
            lines += ["", *self.word.lines()]
        return "\n".join([*lines, *self._sources()])

    def _head(self) -> list[str]:
        formal = self.language.formal
        lines = [self.language.text + (f": {formal.what}" if isinstance(formal, Language) and formal.what else "")]
        lines.append(f"alphabet   {' '.join(self.language.alphabet)}")
        if isinstance(formal, Circuit):
            kind = "no threshold gates (as in AC0)" if formal.is_boolean else "with threshold gates (as in TC0)"
            sizes = f"{count(formal.inputs, 'input')}, {count(formal.size, 'gate')}, depth {formal.depth:,}"
            lines.append(f"circuit    {sizes}; {kind}")
        for label, text in self.language.facts:
            lines += _wrapped(f"{label:<10} ", text)
        if self.classes is None or self.language.dfa is None:
            return lines
        monoid = "too large" if self.classes.monoid is None else count(self.classes.monoid.size, "element")
        lines.append(f"automaton  {count(self.classes.dfa.size, 'state')}; monoid {monoid}")
        shortest = self.language.dfa.shortest()
        if shortest is None:
            return [*lines, "the language is empty: no word is in it"]
        if self.classes.trivial:
            return [*lines, "every word is in the language"]
        return [*lines, f"shortest   {''.join(shortest) or 'the empty word'}"]

    def _classes(self) -> list[str]:
        if self.classes is None:
            return []
        lines, why = [], self.classes.why
        for key, name in CLASSES.items():
            says = {True: "yes", False: "no", None: "not found out"}[getattr(self.classes, key)]
            lines += _wrapped(f"{name:<30} {says:<4}", f" {why[key]}" if why.get(key) else "")
        groups = [
            f"{group.order} elements ({' '.join(group.factors) if group.factors else 'not decomposed'})"
            for group in self.classes.groups or ()
        ]
        if groups:
            lines += _wrapped(f"{'groups':<30}", f" {', '.join(dict.fromkeys(groups))}")
        if self.classes.monoid is None:
            lines += _wrapped("", why["monoid"])
        if self.counting_formula:
            lines += _wrapped(f"{'counting formula':<30}", f" {self.counting_formula}")
        return [*lines, ""]

    def _verdicts(self) -> list[str]:
        lines = [f"which transformers recognise it, read {READS[self.read]}"] if self.verdicts else []
        for verdict in self.verdicts:
            assuming = f", assuming {verdict.assuming}" if verdict.assuming else ""
            lines.append(f"  {verdict.answer}{assuming}: {verdict.models}")
            names = "; ".join(re.sub(r"(\d{4}), .*", r"\1", source) for source in verdict.source.split("; "))
            lines += _wrapped("      ", f"{verdict.because} [{names}]")
        return lines

    def _sources(self) -> list[str]:
        """The papers that verdicts cite, in full."""
        sources = sorted({source for verdict in self.verdicts for source in verdict.source.split("; ")})
        return ["", "sources", *(line for source in sources for line in _wrapped("  ", source))] if sources else []

    def _routes(self) -> list[str]:
        if not self.built:
            other = "" if self.read == "last" else f" that is read {READS[self.read]}"
            return ["", f"no theorem here builds a model for it{other}"]
        rows = [["route", "kind", "layers", "heads", "width", "parameters", "words up to", "read", "proved on"]]
        notes = []
        for one in self.built:
            rows.append(_row(one))
            if one.refused or one.route.note:
                notes.append(f"{one.route.theorem}, {one.route.what}: {one.refused or one.route.note}")
        if self.end_marker is not None:
            notes.append(f"read end: the answer at the end marker {self.end_marker}, which is put after the word")
        notes += dict.fromkeys(
            f"proved {one.proof.how}" for one in self.built if one.proof is not None and one.proof.holds
        )
        lines = [f"  {line}" for line in (*columns(rows), *notes)]
        return ["", "models, built and proved on all short words", *lines]


def saved_json(route: Route) -> dict[str, str]:
    """The route of a model that was saved, as plain data."""
    return {key: getattr(route, key) for key in ("theorem", "what", "read")}


def _circuit_json(circuit: Circuit) -> dict[str, Any]:
    sizes = {"inputs": circuit.inputs, "gates": circuit.size, "depth": circuit.depth}
    return sizes | {"threshold": not circuit.is_boolean}


def _row(one: BuiltRoute) -> list[str]:
    """The line of a route in the table of models."""
    longest = "any" if one.route.lengths is None else f"{one.route.lengths:,}"
    if one.model is None:
        return [one.route.theorem, one.route.what, "-", "-", "-", "-", longest, one.route.read, "-"]
    size = one.model.size
    right = "no words" if one.proof is None else one.proof.extent
    right = right if one.wrong is None else f"WRONG on {''.join(one.wrong)}"
    heads = "+".join(map(str, size.heads)) or "0"
    sizes = [f"{size.attention_layers}", heads, f"{size.width:,}", f"{size.parameters:,}"]
    return [one.route.theorem, one.route.what, *sizes, longest, one.route.read, right]


def _wrapped(first: str, rest: str) -> list[str]:
    return wrap(first + rest, WIDTH, subsequent_indent=" " * 6) or [""]


def recognise(
    language: DescribedLanguage,
    built: Sequence[BuiltRoute],
    word: Sequence[str] | None,
    *,
    budget: int,
    read: Read = "last",
) -> Recognition:
    """What is known of a language. Verdicts are about models that are read where `read` says."""
    classes = None if language.dfa is None else classify(language.dfa, budget=budget)
    verdicts: tuple[RecognitionVerdict, ...] = ()
    if classes is not None:
        verdicts = of_regular(classes, read)
    elif isinstance(language.formal, Language):
        verdicts = of_named(language.formal, read)
    elif language.cls:
        verdicts = of_member(language.cls, read)
    short = classes is not None and classes.dfa.size <= MOST_PRINTED
    formula = (
        crasp_formula(classes.crasp, read) if classes is not None and classes.crasp is not None and short else None
    )
    printed = None if formula is None or counting_length(formula) > MOST_PRINTED else counting_printed(formula)
    answer = None if word is None else _on_word(language, built, word)
    return Recognition(language, read, classes, printed, verdicts, tuple(built), answer)


def _on_word(language: DescribedLanguage, built: Sequence[BuiltRoute], word: Sequence[str]) -> WordAnswer:
    answers = []
    for one in built:
        silent = _not_asked(one, word, only=len(built) == 1)
        accepts = one.route.says(one.model, word) if one.model is not None and silent is None else None
        answers.append(ModelAnswer(one.route, accepts, silent))
    states = None if language.dfa is None else language.dfa.states(word)
    return WordAnswer(tuple(word), language.accepts(word), states, tuple(answers))


def _not_asked(one: BuiltRoute, word: Sequence[str], *, only: bool) -> str | None:
    """Why a model is not run on a word; None if it is."""
    if one.model is None:
        return "not built"
    if not word and not one.route.suffix:
        return "no model reads the empty word"
    if one.route.lengths is not None and len(word) > one.route.lengths:
        return f"made for words of at most {one.route.lengths:,} symbols"
    if not only and sum(one.model.size.heads) * len(word) ** 2 > MOST_PAIRS:
        return "the word is long for it; --route asks it"
    return None
