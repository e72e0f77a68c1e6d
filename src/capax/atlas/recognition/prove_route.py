"""On which words the model of a route is proved right: all short ones are run, and bounds may cover longer ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from capax.atlas.recognition.language import DescribedLanguage
from capax.auditor.model_proof import ModelProof, prove_words, span
from capax.auditor.question import Question, question
from capax.auditor.specs.languages import of_dfa
from capax.auditor.specs.programs import of_function
from capax.formal.automata.dfa import words_up_to
from capax.formal.circuits.circuit import Circuit
from capax.model.model import Model
from capax.theorems.base.route import Route, last_answer

MOST_CHECKED: Final = 600
"""Unless more are asked for, a model is run on all short words, at most this many."""
MOST_GENERATED: Final = 80
"""A model that thinks in tokens is run on fewer."""
LONGEST_CHECKED: Final = 8
MOST_WORK: Final = 200_000_000
"""Large models are run on fewer words: parameters times words is at most about this."""


def prove_route(
    route: Route, model: Model, language: DescribedLanguage, most_length: int, least: int
) -> ModelProof | None:
    """The words of up to a length on which a model is right, all of them; None if not even the shortest are few.

    For a `least` of 0 at most `MOST_CHECKED` words are run. Else there are at least so many, up to `most_length`
    symbols, and bounds go on from there.
    """
    lengths = _lengths(route, model, language, most_length, least)
    if not lengths:
        return None
    if route.accepts is not last_answer:
        return _generated(route, model, language, lengths)
    asked = _question(route, model, language)
    bounded = asked if least and asked.spec.states is not None else None
    many = least or sum(len(language.alphabet) ** n for n in lengths)
    proof = prove_words(asked, lengths, least=many, bounded=bounded)
    return proof if proof is None or least else replace(proof, whole=False)


def _question(route: Route, model: Model, language: DescribedLanguage) -> Question:
    if language.dfa is not None:
        spec = of_dfa(language.dfa, language.text)
    else:
        spec = of_function(language.text, language.alphabet, lambda word: bool(language.accepts(word)), one_answer=True)
    return question(model, spec, read=route.read, end=route.suffix[0] if route.suffix else None)


def _lengths(route: Route, model: Model, language: DescribedLanguage, most_length: int, least: int) -> list[int]:
    """The lengths of words that are run; the empty word is one of them if a marker gives it a position."""
    most = max(10, min(MOST_CHECKED, MOST_WORK // max(1, model.size.parameters)))
    generates = route.accepts is not last_answer
    if generates:
        most = min(most, MOST_GENERATED)
    if isinstance(language.formal, Circuit):
        inputs = language.formal.inputs
        return [inputs] if 2**inputs <= max(most, least) else []
    if least and not generates:
        return list(range(0 if route.suffix else 1, min(most_length, route.lengths or most_length) + 1))
    longest, total = 0, 0
    for length in range(1, min(LONGEST_CHECKED, route.lengths or LONGEST_CHECKED) + 1):
        total += len(language.alphabet) ** length
        if total > most:
            break
        longest = length
    return list(range(0 if route.suffix else 1, longest + 1))


def _generated(route: Route, model: Model, language: DescribedLanguage, lengths: Sequence[int]) -> ModelProof:
    """All words of some lengths, each with the verdict at the end of its chain of thought."""
    words = list(words_up_to(language.alphabet, lengths[-1], least=lengths[0]))
    wrong = next((word for word in words if route.says(model, word) != language.accepts(word)), None)
    counterexample = None if wrong is None else {"word": list(wrong), "position": None}
    return ModelProof(f"words of {span(lengths)}", len(words), model.numbers, counterexample=counterexample)
