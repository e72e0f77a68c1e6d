"""Languages as specifications: is the word, or the word so far, in the language? And: which letters may come next?"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from capax.auditor.spec import Answer, Spec, Word
from capax.auditor.specs.machine import Machine, of_machine
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.language import Language
from capax.model.vocabulary import Token

NO_YES: Final[tuple[Answer, Answer]] = (False, True)


def of_dfa(dfa: Dfa, name: str, kind: str = "automaton", definition: str = "") -> Spec:
    """The specification that answers whether an automaton accepts the word so far."""
    machine = Machine(
        dfa.start, lambda state, letter: dfa.delta[state][dfa.number(str(letter))], lambda state: state in dfa.accepting
    )
    return of_machine(name, kind, dfa.alphabet, machine, NO_YES, definition=definition)


def of_language(language: Language) -> Spec:
    """The specification that answers whether the word so far is in a named language.

    Regular languages, and those that a few counters decide, have states; the others are decided word by word.
    """
    name = language.name
    if language.automaton is not None:
        return of_dfa(language.automaton, name, "language", name)
    counters = _COUNTERS.get(language.family)
    by_definition = _definition(language.contains)
    if counters is None:
        return Spec(name, "language", language.alphabet, by_definition, NO_YES, definition=name, prefixes=True)
    machine = counters(language)
    return of_machine(name, "language", language.alphabet, machine, NO_YES, definition=name, answers_of=by_definition)


def of_membership(
    name: str, kind: str, alphabet: Sequence[str], accepts: Callable[[Sequence[Any]], bool], definition: str = ""
) -> Spec:
    """The specification that answers whether the word so far is accepted, decided word by word."""
    return Spec(name, kind, tuple(alphabet), _definition(accepts), NO_YES, definition=definition, prefixes=True)


def _definition(accepts: Callable[[Sequence[Any]], bool]) -> Callable[[Sequence[Word]], list[list[Answer | None]]]:
    return lambda words: [[bool(accepts(word[: n + 1])) for n in range(len(word))] for word in words]


def _majority(language: Language) -> Machine:
    """How many more ones than zeros."""
    return Machine(0, lambda more, letter: more + (1 if letter == "1" else -1), lambda more: more > 0)


def _heights(language: Language) -> Machine:
    """For each kind of brackets how many are open; a word that closes too much leads to a state of its own."""
    alphabet, kinds = language.alphabet, len(language.alphabet) // 2
    start: Hashable = (0,) * kinds

    def step(open_: tuple[int, ...] | str, letter: Token) -> Hashable:
        if isinstance(open_, str):
            return open_
        kind, closes = divmod(alphabet.index(str(letter)), 2)
        change = -1 if closes else 1
        after = (*open_[:kind], open_[kind] + change, *open_[kind + 1 :])
        return "failed" if after[kind] < 0 else after

    return Machine(start, step, lambda open_: open_ == start)


def _equal_blocks(language: Language) -> Machine:
    """The number of each letter, as long as the letters come in order."""
    alphabet = language.alphabet
    start: Hashable = (0,) * len(alphabet)

    def step(counts: tuple[int, ...] | str, letter: Token) -> Hashable:
        if isinstance(counts, str):
            return counts
        at = alphabet.index(str(letter))
        if any(counts[at + 1 :]):
            return "failed"
        return (*counts[:at], counts[at] + 1, *counts[at + 1 :])

    return Machine(start, step, lambda counts: not isinstance(counts, str) and len(set(counts)) == 1)


def _one_kind(language: Language) -> Machine:
    """Heights decide brackets of one kind; brackets of several kinds need a stack."""
    return _heights(language) if len(language.alphabet) == 2 else _stacks(language)


def _stacks(language: Language) -> Machine:
    """The brackets that are open, in order."""
    alphabet = language.alphabet

    def step(stack: tuple[int, ...] | str, letter: Token) -> Hashable:
        if isinstance(stack, str):
            return stack
        kind, closes = divmod(alphabet.index(str(letter)), 2)
        if not closes:
            return (*stack, kind)
        return stack[:-1] if stack and stack[-1] == kind else "failed"

    return Machine((), step, lambda stack: stack == ())


_COUNTERS: Final[dict[str, Callable[[Language], Machine]]] = {
    "majority": _majority,
    "dyck": _one_kind,
    "bounded-dyck": _stacks,
    "shuffle-dyck": _heights,
    "anbn": _equal_blocks,
    "anbncn": _equal_blocks,
}
"""Machines of the named languages that are not regular, or whose automaton is large."""


def of_next_letters(dfa: Dfa, name: str, end: str | None = None, definition: str = "") -> Spec:
    """The specification whose answer is the set of letters that may follow the word so far, and `end` if it may stop.

    It is about beginnings of words of the language; after any other word there is no statement.
    """
    alive = _alive(dfa)

    def answer(state: int) -> Answer | None:
        after = [x for x, target in zip(dfa.alphabet, dfa.delta[state], strict=True) if target in alive]
        return frozenset([*after, *([end] if end is not None and state in dfa.accepting else [])])

    def step(state: int, letter: Token) -> Hashable | None:
        target = dfa.delta[state][dfa.number(str(letter))]
        return target if target in alive else None

    answers = tuple(dict.fromkeys(a for state in sorted(alive) if (a := answer(state)) is not None))
    machine = Machine(dfa.start, step, answer)
    return of_machine(name, "next", dfa.alphabet, machine, answers, definition=definition)


def _alive(dfa: Dfa) -> set[int]:
    """The states from which a word is accepted."""
    alive = set(dfa.accepting)
    while True:
        more = {q for q in range(dfa.size) if q not in alive and any(t in alive for t in dfa.delta[q])}
        if not more:
            return alive
        alive |= more
