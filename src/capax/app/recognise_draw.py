"""The pictures of `capax recognise`."""

from collections.abc import Sequence
from pathlib import Path

from capax.app.files.read import write_text
from capax.app.recognise import Built, Given
from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit


def draw_language(
    given: Given, built: Sequence[Built], word: Sequence[str] | None, path: str, picture: str | None, *, budget: int
) -> None:
    """Draws the automaton (or the circuit) of a language, its monoid, or the attention of its first model on a word."""
    wanted = picture or ("circuit" if isinstance(given.thing, Circuit) else "automaton" if given.dfa else "attention")
    write_text(Path(path), _drawn(given, built, word, wanted, budget))


def _drawn(given: Given, built: Sequence[Built], word: Sequence[str] | None, wanted: str, budget: int) -> str:
    if wanted == "attention":
        return _attention(given, built, word)
    if wanted == "circuit":
        from capax.draw.subjects.circuit import draw_circuit

        if not isinstance(given.thing, Circuit):
            raise CapaxError("bad-option", "there is no circuit to draw", hint="--circuit FILE gives one")
        bits = None if word is None else [symbol == "1" for symbol in word]
        return draw_circuit(given.thing, given.text, bits)
    if given.dfa is None:
        raise CapaxError("bad-option", f"there is no {wanted} to draw: the language has no finite automaton here")
    if wanted == "automaton":
        from capax.draw.subjects.automaton import draw_automaton

        return draw_automaton(given.dfa, given.text)
    from capax.draw.subjects.egg_box import draw_monoid
    from capax.formal.automata.green import egg_boxes
    from capax.formal.automata.monoid import transition_monoid

    monoid = transition_monoid(given.dfa, budget=budget)
    return draw_monoid(monoid, egg_boxes(monoid), given.text)


def _attention(given: Given, built: Sequence[Built], word: Sequence[str] | None) -> str:
    from capax.draw.ink.svg import svg
    from capax.draw.subjects.model_view import model_flow

    first = next((one for one in built if one.model is not None), None)
    if first is None or first.model is None or not word:
        hint = "give a word with --word, and a model with --route if there are several"
        raise CapaxError("bad-option", "there is no model or no word to draw the attention of", hint=hint)
    return svg(model_flow(first.model, [*word, *first.route.suffix], title=given.text))
