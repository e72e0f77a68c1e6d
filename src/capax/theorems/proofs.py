"""Proofs that a model computes a task or a language: every input up to a size, by the auditor.

What `checks.py` samples, this exhausts: at least 10,000 inputs, or all that there are up to the size of the
parameters. `capax theorem NAME` prints the result as the model's label.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from capax.auditor.model_proof import LEAST, MOST, ModelProof, prove_words, span
from capax.auditor.question import question
from capax.auditor.specs.languages import of_dfa, of_language
from capax.auditor.specs.programs import of_function
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.model.vocabulary import Token
from capax.tasks.base.task import Task
from capax.theorems.checks import Recognised


def letters_of(model: Model) -> tuple[Token, ...]:
    """The tokens that words of a model are made of."""
    return tuple(token for token in model.vocabulary.tokens if token not in model.prefix)


def proved_language(model: Model, language: Recognised, longest: int, *, least: int = LEAST) -> ModelProof | None:
    """All words of up to a length: yes at the last letter exactly if the word is in the language."""
    spec = of_function("the language", language.alphabet, lambda word: bool(language.accepts(word)), one_answer=True)
    stateful = None
    match language:
        case Language():
            stateful = of_language(language)
        case Dfa():
            stateful = of_dfa(language, "the automaton")
    bounded = None if stateful is None else question(model, stateful, read="last")
    return prove_words(question(model, spec, read="last"), range(1, longest + 1), least=least, bounded=bounded)


def proved_task(model: Model, task: Task, longest: int, *, least: int = LEAST, **parameters: Any) -> ModelProof | None:
    """All words of up to a length, with every answer that a task gives for them."""
    spec = of_function(task.name, letters_of(model), lambda word: task.reference(word, **parameters))
    return prove_words(
        question(model, spec, read="each"),
        range(1, longest + 1),
        least=least,
        name=lambda lengths: f"words of {span(lengths, 'token')}",
    )


def proved_size(
    model: Model, task: Task, n: int, inputs: str, count: int, *, one_answer: bool = True, **parameters: Any
) -> ModelProof | None:
    """All `count` words of size n of a task, which `inputs` names; None where these are too many."""
    every = task.every
    assert every is not None, "a task whose words can be listed"
    return proved_inputs(
        model,
        lambda: every(n, **parameters),
        lambda word: task.reference(word, **parameters),
        inputs,
        count,
        one_answer=one_answer,
    )


def proved_inputs(
    model: Model,
    words: Callable[[], Iterable[Sequence[Any]]],
    reference: Callable[[list[Any]], Any],
    inputs: str,
    count: int,
    *,
    one_answer: bool = True,
) -> ModelProof | None:
    """All of `count` inputs of one length; None where these are too many. `one_answer` is as in `of_function`."""
    if count > MOST:
        return None
    length, read = len(next(iter(words()))), "last" if one_answer else "each"
    spec = of_function(inputs, letters_of(model), reference, every=lambda n: words(), one_answer=one_answer)
    asked = question(model, spec, read=read)  # type: ignore[arg-type]
    proof = prove_words(asked, [length], name=lambda lengths: inputs)
    assert proof is None or not proof.holds or proof.count == count, "an input was left out"
    return proof
