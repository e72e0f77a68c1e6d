"""Random Turing machines, from a seed."""

from fractions import Fraction

import numpy as np

from capax.formal.turing.machine import Action, Place, TuringMachine
from capax.formal.turing.probabilistic import ChanceMachine


def random_machine(states: int, symbols: int, seed: int, *, halting: float = 0.05) -> TuringMachine:
    """A machine with that many states and symbols; each rule is missing with probability `halting`, but the first."""
    random = np.random.default_rng(seed)
    names = [f"q{number}" for number in range(states)]
    letters = ["_", *(str(number) for number in range(symbols - 1))]
    rules: dict[Place, Action] = {}
    for state in names:
        for letter in letters:
            if not rules or random.random() >= halting:
                rules[state, letter] = _action(random, names, letters)
    return TuringMachine("_", "q0", rules, tuple(letters[1:]))


def _action(random: np.random.Generator, names: list[str], letters: list[str]) -> Action:
    return Action(str(random.choice(letters)), int(random.integers(-1, 2)), str(random.choice(names)))


def random_chances(states: int, symbols: int, seed: int, *, choices: int = 2) -> ChanceMachine:
    """A random machine that takes one of up to `choices` actions at each state and symbol."""
    random = np.random.default_rng(seed)
    names = [f"q{number}" for number in range(states)]
    letters = ["_", *(str(number) for number in range(symbols - 1))]
    rules: dict[Place, dict[Action, Fraction]] = {}
    for state in names:
        for letter in letters:
            if rules and random.random() < 0.15:
                continue
            actions = list(dict.fromkeys(_action(random, names, letters) for _ in range(choices)))
            weights = [int(random.integers(1, 8)) for _ in actions]
            rules[state, letter] = {a: Fraction(w, sum(weights)) for a, w in zip(actions, weights, strict=True)}
    return ChanceMachine("_", "q0", rules, tuple(letters[1:]))
