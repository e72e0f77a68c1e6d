"""RASP programs, other models and plain functions as specifications."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from math import comb
from typing import Any, Final

from capax.auditor.spec import Answer, AnswerFunction, Spec, Word
from capax.auditor.specs.machine import Machine, explore, reachable
from capax.auditor.specs.running import running_machine
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Token, token_key
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Best, Indices, Node, SOpNode
from capax.rasp.ir.triple_nodes import TripleNode
from capax.rasp.python.embed import length
from capax.rasp.python.program import Program

MOST_COUNTS: Final = 20_000
"""A program whose answers depend on more combinations of counts than this is asked word by word."""


def of_program(program: Program, letters: Sequence[Token], longest: int, *, name: str | None = None) -> Spec:
    """The specification of a program: its value at each position; no statement where the program raises an error.

    A program that does not read positions answers a word by its last letter and its numbers of letters. So it has
    states for answers at the last letter, up to the length `longest`, if these are not too many. So has one that can be
    run letter by letter.
    """
    if not isinstance(program.node, SOpNode):
        what = "a model is held against an s-op, and this is a selector"
        raise CapaxError("unfit-spec", what, hint="aggregate with it, or take its width")
    alphabet, answers_of = tuple(letters), _values(program)
    title, text = name or program.name or "the program", program.to_text()
    count = comb(longest + len(alphabet), len(alphabet)) * len(alphabet)
    if not is_symmetric(program.node) or count > MOST_COUNTS:
        return _running(program.node, longest, Spec(title, "program", alphabet, answers_of, definition=text))
    answer_after = _by_counts(answers_of, alphabet, longest)
    answers = tuple({(type(a).__name__, a): a for a in answer_after.values() if a is not None}.values())
    machine = Machine(((0,) * len(alphabet), None), _counting(alphabet), answer_after.get)
    states = cache(lambda n: explore(machine, alphabet, answers, n))
    return Spec(title, "program", alphabet, answers_of, answers, states=states, definition=text)


def _running(root: SOpNode, longest: int, spec: Spec) -> Spec:
    """A specification with the states of a program that runs letter by letter, if it is one."""
    machine = running_machine(root)
    if machine is None:
        return spec
    try:
        reached = reachable(machine, spec.letters, longest)[0]
    except CapaxError:
        return spec
    given = [answer for state in reached if (answer := machine.answer(state)) is not None]
    answers = tuple({(type(a).__name__, a): a for a in given}.values())
    states = cache(lambda n: explore(machine, spec.letters, answers, n))
    return replace(spec, answers=answers, states=states, prefixes=True)


def _values(program: Program) -> AnswerFunction:
    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        results = program.batch([list(word) for word in words], errors="keep")
        return [
            [None] * len(word) if isinstance(result, CapaxError) else list(result)
            for word, result in zip(words, results, strict=True)
        ]

    return answers_of


def is_symmetric(root: Node) -> bool:
    """Whether the value at a position surely depends on its letter and on the numbers of letters alone.

    So it is if the program nowhere reads positions, but for `length`: then any reordering of the word reorders its
    values alike. `best` breaks ties by position, and so counts as reading them.

    >>> from capax import select, selector_width, tokens, indices
    >>> is_symmetric(selector_width(select(tokens, tokens, "==")).node), is_symmetric((indices + 1).node)
    (True, False)
    """
    nodes = postorder([root], lambda node: () if node is length.node else node.operands)
    return not any(isinstance(node, Indices | Best | TripleNode) for node in nodes)


def _counting(letters: tuple[Token, ...]) -> Callable[[Any, Token], Hashable]:
    """The step of a state, which is the numbers of letters and the number of the last one."""
    number = {token_key(letter): k for k, letter in enumerate(letters)}

    def step(state: tuple[tuple[int, ...], int | None], letter: Token) -> Hashable:
        counts, at = state[0], number[token_key(letter)]
        return (*counts[:at], counts[at] + 1, *counts[at + 1 :]), at

    return step


def _by_counts(answers_of: AnswerFunction, letters: tuple[Token, ...], longest: int) -> dict[Any, Answer | None]:
    """For each number of letters, and each last letter, the answer of one word that stands for all such words."""
    states, words = [], []
    for counts in product(range(longest + 1), repeat=len(letters)):
        if not 0 < sum(counts) <= longest:
            continue
        for last, count in enumerate(counts):
            if count:
                rest = [letter for k, letter in enumerate(letters) for _ in range(counts[k] - (k == last))]
                states.append((counts, last))
                words.append((*rest, letters[last]))
    return {state: row[-1] for state, row in zip(states, answers_of(words), strict=True)}


def of_model(other: Model, name: str, letters: Sequence[Token] | None = None) -> Spec:
    """The specification of another model: its decoded answers, at each position unless its file says otherwise.

    A model that is read after an end marker is given its own marker, and its answer there is that of the word; the
    name says so.
    """
    read, marker = other.provenance.read, other.provenance.end_marker
    after: tuple[Token, ...] = ()
    if read == "end":
        if marker is None:
            what = f"{name} is read after an end marker, and its file names none"
            raise CapaxError("unfit-spec", what, hint="save it with an end marker in its provenance")
        after, name = (marker,), f"{name}, read after its end marker {marker}"

    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        rows: list[list[Answer | None]] = [list(row) for row in other.batch([[*word, *after] for word in words])]
        return [[*[None] * (len(row) - 2), row[-1]] for row in rows] if after else rows

    tokens = tuple(other.vocabulary.tokens) if letters is None else tuple(letters)
    kept = tuple(t for t in tokens if t not in (*other.prefix, *after))
    longest = None if other.max_length is None else other.max_length - len(after)
    each = read not in ("last", "end")
    return Spec(name, "model", kept, answers_of, _no_yes(other), definition=other.key(), longest=longest, each=each)


def _no_yes(other: Model) -> tuple[Answer, ...] | None:
    """No and yes, if these are all answers of a model; other answers may never be given, and are not listed."""
    values = getattr(other.decoding, "values", ())
    return (False, True) if len(values) == 2 and all(type(value) is bool for value in values) else None


def of_function(
    name: str,
    letters: Sequence[Token],
    reference: Callable[[list[Any]], Any],
    *,
    kind: str = "function",
    definition: str = "",
    every: Callable[[int], Iterable[Sequence[Any]]] | None = None,
    one_answer: bool = False,
) -> Spec:
    """The specification of a function from a word to a list with one answer for each position.

    With `one_answer` the function gives a single answer, for the whole word: that at the last position. `every(n)`
    gives the words of size n where these are not all words over the letters.
    """

    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        return [_answers(reference(list(word)), len(word), one_answer) for word in words]

    all_words = None if every is None else lambda n: (tuple(word) for word in every(n))
    return Spec(name, kind, tuple(letters), answers_of, definition=definition, every=all_words)


def _answers(result: Any, length: int, one_answer: bool) -> list[Answer | None]:
    if one_answer:
        return [None] * (length - 1) + [result]
    assert len(result) == length, "a function gives one answer for each position"
    return list(result)
