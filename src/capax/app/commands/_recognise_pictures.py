"""The pictures of `capax recognise`."""

from collections.abc import Sequence

from capax.atlas.recognition.language import DescribedLanguage
from capax.atlas.recognition.routes import BuiltRoute
from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit


def language_svg(
    language: DescribedLanguage,
    built: Sequence[BuiltRoute],
    word: Sequence[str] | None,
    picture: str | None,
    *,
    budget: int,
) -> str:
    """The automaton (or the circuit) of a language, its monoid, or the attention of its first model on a word."""
    formal = language.formal
    kind = picture or ("circuit" if isinstance(formal, Circuit) else "automaton" if language.dfa else "attention")
    if kind == "attention":
        return _attention(language, built, word)
    if kind == "circuit":
        from capax.draw.subjects.circuit import draw_circuit

        if not isinstance(formal, Circuit):
            raise CapaxError("bad-option", "there is no circuit to draw", hint="--circuit FILE gives one")
        return draw_circuit(formal, language.text, None if word is None else [symbol == "1" for symbol in word])
    if language.dfa is None:
        raise CapaxError("bad-option", f"there is no {kind} to draw: the language has no finite automaton here")
    if kind == "automaton":
        from capax.draw.subjects.automaton import draw_automaton

        return draw_automaton(language.dfa, language.text)
    from capax.draw.subjects.egg_box import draw_monoid
    from capax.formal.automata.green import egg_boxes
    from capax.formal.automata.monoid import transition_monoid

    monoid = transition_monoid(language.dfa, budget=budget)
    return draw_monoid(monoid, egg_boxes(monoid), language.text)


def _attention(language: DescribedLanguage, built: Sequence[BuiltRoute], word: Sequence[str] | None) -> str:
    from capax.draw.ink.svg import svg
    from capax.draw.subjects.model_view import model_flow

    first = next((one for one in built if one.model is not None), None)
    if first is None or first.model is None or not word:
        hint = "give a word after the language, and a model with --route if there are several"
        raise CapaxError("bad-option", "there is no model or no word to draw the attention of", hint=hint)
    return svg(model_flow(first.model, [*word, *first.route.suffix], title=language.text))
