"""Routes to models that recognise a language: from every theorem that has one, built and run on all short words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from capax import theorems
from capax.atlas.recognition.language import DescribedLanguage
from capax.atlas.recognition.prove_route import prove_route
from capax.auditor.model_proof import ModelProof
from capax.display import parts, plain
from capax.errors import CapaxError
from capax.formal.acceptance import Read, end_marker, marked
from capax.model.model import Model
from capax.theorems.base.route import Route, last_answer

MOST_BUILT: Final = 300
"""Models are not built for automata with more states, unless the route is named."""


@dataclass(frozen=True, slots=True)
class BuiltRoute:
    """A route with its model, or the reason why there is none, and the words on which the model is proved right."""

    route: Route
    model: Model | None
    refused: str = ""
    proof: ModelProof | None = None

    @property
    def right(self) -> int:
        """The number of words on which the model is proved right."""
        return self.proof.count if self.proof is not None and self.proof.holds else 0

    @property
    def wrong(self) -> tuple[str, ...] | None:
        """A word on which the model is wrong, if one was found."""
        if self.proof is None or self.proof.counterexample is None:
            return None
        return tuple(self.proof.counterexample["word"])

    def to_json(self) -> dict[str, Any]:
        """The route as plain data."""
        route = self.route
        return parts(route, "theorem", "what", "read") | {
            "longest": route.lengths,
            "note": route.note or None,
            "refused": self.refused or None,
            "size": None if self.model is None else self.model.size.to_json(),
            "right_on": self.right,
            "wrong_on": plain(self.wrong),
            "proof": None if self.proof is None else self.proof.to_json(),
        }


def routes(forms: tuple[object, ...], max_length: int) -> list[Route]:
    """The routes that theorems offer for one of several forms of one language, each once."""
    offered: dict[tuple[str, str], Route] = {}
    for name in theorems.names():
        routes_of = getattr(theorems.theorem_module(name), "routes", None)
        if routes_of is None:
            continue
        for form in forms:
            for route in routes_of(form, max_length):
                offered.setdefault((route.theorem, route.what), route)
    return list(offered.values())


def routes_read(language: DescribedLanguage, max_length: int, read: Read) -> list[Route]:
    """The routes to models that are read at one position; those that think in tokens have an end marker of their own.

    For an end marker these are the routes for the automaton of the words with a marker.
    """
    direct = routes(language.forms, max_length)
    if read == "last":
        return direct
    own = [route for route in direct if route.read == "end"]
    if language.dfa is None:
        return own
    marker = end_marker(language.alphabet)
    of_marked = routes((marked(language.dfa),), max_length + 1)
    return [*(route.with_marker(marker) for route in of_marked if route.read == "last"), *own]


def build_routes(
    language: DescribedLanguage, max_length: int, *, only: str | None = None, read: Read = "last", prove: int = 0
) -> list[BuiltRoute]:
    """Every route to a model, built and run on all short words; with `only`, those of one theorem.

    With `prove` they are at least so many, up to `max_length` symbols.
    """
    chosen = routes_read(language, max_length, read)
    if only is not None:
        names = ", ".join(dict.fromkeys(route.theorem for route in chosen)) or "none"
        chosen = [route for route in chosen if only in (route.theorem, f"{route.theorem}: {route.what}")]
        if not chosen:
            raise CapaxError("bad-option", f"there is no route {only} for this language", hint=f"routes: {names}")
    elif language.dfa is not None and language.dfa.size > MOST_BUILT:
        refused = f"not built, since the automaton has {language.dfa.size:,} states; --route builds it"
        return [BuiltRoute(route, None, refused) for route in chosen]
    return [_built(route, language, max_length, prove) for route in chosen]


def _built(route: Route, language: DescribedLanguage, max_length: int, prove: int) -> BuiltRoute:
    try:
        model = route.build()
    except CapaxError as error:
        return BuiltRoute(route, None, error.what)
    origin = replace(model.provenance, read=route.read)
    if route.suffix:
        marker = route.suffix[0]
        origin = replace(origin, end_marker=marker, answer=f"yes or no at the end marker {marker}")
    model = replace(model, provenance=origin)
    return BuiltRoute(route, model, proof=prove_route(route, model, language, max_length, prove))


def shallowest(built: Sequence[BuiltRoute]) -> tuple[Route, Model]:
    """The route and model of least depth that answers at once, of those the smallest; an error if there is none.

    A model with a loop is taken where there is no other: its rounds grow with the word, and other tools need a length.
    """
    right = [(one.route, one.model) for one in built if one.model is not None and one.wrong is None]
    if not right:
        reasons = "; ".join(one.refused for one in built) or "no theorem here builds one"
        raise CapaxError("bad-option", f"there is no model of this language to write: {reasons}")
    return min(right, key=_depth)


def _depth(one: tuple[Route, Model]) -> tuple[bool, bool, int, int]:
    """What is less for a shallower model."""
    route, model = one
    return route.accepts is not last_answer, model.loop is not None, model.size.attention_layers, model.size.parameters
