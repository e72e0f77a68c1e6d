"""Why the tokens of a chain name states, and are more than the symbols of words.

A decoder of constant depth finds the symbol under the head, and it has its last token. If tokens said what was
written and how the head moved, but not the state, then two steps with the same last token and the same symbol under
the head would have to be continued alike. A machine that continues them in different ways is then lost. (Over an
alphabet of one letter a chain of thought would say even less: after t steps it is that letter t times, whatever the
machine did.)

Suppose that every action were written as one symbol of words, in whatever way. A chain then is a word as well: nothing
says where the word ended, and actions outnumber symbols. Two situations in which the decoder reads the same symbols
but the machine goes on differently refute a way of writing; for a small machine all ways can be tried.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final, TypeAlias

import numpy as np

from capax.formal.turing.machine import LETTERS, Action, TuringMachine, steps
from capax.report import Report

MOST_WAYS: Final = 2**15
"""Ways of writing of which all are tried."""
DRAWN: Final = 4096
"""Random ways that are tried if there are more."""
HALT: Final = "the halt"

Runs: TypeAlias = dict[tuple[str, ...], list[Action | None]]


def without_new_symbols(machine: TuringMachine, longest: int = 3, most: int = 40, seed: int = 0) -> Report:
    """Whether actions can be written with the symbols of words alone, one for each, so that they decide what follows.

    All words of up to `longest` symbols are run for up to `most` steps.
    """
    statement = "some way to write each action as one symbol of words makes chains that decide what comes next"
    words = [word for n in range(longest + 1) for word in product(machine.input, repeat=n)]
    runs = {word: _actions(machine, word, most) for word in words}
    ways = len(machine.input) ** len(machine.actions)
    if not ways:
        none = {"symbols of words": 0, "actions": len(machine.actions)}
        return Report(statement, "exhaustive", False, 1, counterexample=none)
    tried, counterexample = 0, None
    for way in _ways(machine, seed):
        tried += 1
        if (counterexample := refutation(runs, way)) is None:
            return Report(statement, "exhaustive", True, tried)
    drawn = ways > MOST_WAYS
    figures = {"ways": ways, "ways that fail": tried}
    return Report(
        statement, "sampled" if drawn else "exhaustive", False, tried, seed if drawn else None, figures, counterexample
    )


def _actions(machine: TuringMachine, word: Sequence[str], most: int) -> list[Action | None]:
    """The first actions on a word, and None for the halt."""
    actions: list[Action | None] = [step.action for step in islice(steps(machine, word), most)]
    return actions if len(actions) == most else [*actions, None]


def _ways(machine: TuringMachine, seed: int) -> Iterator[dict[Action, str]]:
    """Ways to write actions as symbols of words: all, or random ones."""
    symbols, actions = machine.input, machine.actions
    if len(symbols) ** len(actions) <= MOST_WAYS:
        for chosen in product(symbols, repeat=len(actions)):
            yield dict(zip(actions, chosen, strict=True))
        return
    random = np.random.default_rng(seed)
    for _ in range(DRAWN):
        yield {action: symbols[int(random.integers(len(symbols)))] for action in actions}


def refutation(runs: Runs, way: dict[Action, str]) -> dict[str, object] | None:
    """Two situations that read the same and go on differently, if a way of writing has some."""
    known: dict[tuple[str, ...], tuple[str, tuple[str, ...], int]] = {}
    for word, actions in runs.items():
        read = word
        for number, action in enumerate(actions):
            then = HALT if action is None else way[action]
            before, other, at = known.setdefault(read, (then, word, number))
            if before != then:
                return {
                    "read": "".join(read),
                    "as": [f"word {_shown(other)} after {at} steps", f"word {_shown(word)} after {number} steps"],
                    "then": [before, then],
                }
            read = (*read, then)
    return None


def _shown(word: tuple[str, ...]) -> str:
    return repr("".join(word))


STATEMENT = "tokens that say what was written and how the head moved, and not the state, decide what comes next"


def without_states(machine: TuringMachine, words: Sequence[Sequence[str]], most: int) -> Report:
    """Whether a machine's next action is a function of what is written, moved and read; two steps refute it."""
    count = 0
    for word in words:
        known: dict[tuple[str, str, str], tuple[int, Action]] = {}
        last: Action | None = None
        for number, step in enumerate(steps(machine, word), 1):
            if number > most:
                break
            count += 1
            if last is not None:
                seen = (last.write, LETTERS[last.move], step.read)
                before, action = known.setdefault(seen, (number, step.action))
                if action != step.action:
                    situation = {"last token": f"{seen[0]},{seen[1]}", "symbol under the head": seen[2]}
                    first, second = f"step {before}: {action}", f"step {number}: {step.action}"
                    return Report(
                        STATEMENT, "exhaustive", False, count, counterexample={**situation, "then": [first, second]}
                    )
            last = step.action
    return Report(STATEMENT, "exhaustive", True, count)
