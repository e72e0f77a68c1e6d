"""Probabilistic Turing machines: in each step one of several actions is taken by chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from capax.errors import CapaxError
from capax.formal.turing.machine import Action, OneTape, RuleKey, random_action


@dataclass(frozen=True)
class ChanceMachine(OneTape):
    """A machine whose `rules[state, symbol]` are actions with probabilities that sum to 1; without any it halts."""

    blank: str
    start: str
    rules: Mapping[RuleKey, Mapping[Action, Fraction]]
    input: tuple[str, ...]
    accepting: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for (state, symbol), chances in self.rules.items():
            if sum(chances.values()) != 1 or min(chances.values()) <= 0:
                raise CapaxError(
                    "bad-machine",
                    f"the probabilities in state {state!r:.40} at symbol {symbol!r:.40} do not sum to 1",
                    hint="what the rules for one state and symbol have after `:` sums to 1",
                )

    def possible(self) -> Iterator[tuple[RuleKey, Action]]:
        """Each action of a rule."""
        return ((place, action) for place, chances in self.rules.items() for action in chances)

    def probability(self, word: Sequence[str], chain: Sequence[Action], *, halts: bool) -> Fraction:
        """The probability that the machine, on a word, takes just these actions first, and then halts if so asked."""
        tape, state, cell, probability = dict(enumerate(word)), self.start, 0, Fraction(1)
        for action in chain:
            probability *= self.rules.get((state, tape.get(cell, self.blank)), {}).get(action, Fraction(0))
            tape[cell] = action.write
            cell, state = cell + action.move, action.state
        return probability * (not halts or (state, tape.get(cell, self.blank)) not in self.rules)

    def sample(self, word: Sequence[str], most: int, random: np.random.Generator) -> list[Action]:
        """The actions of a random run: until the machine halts, at most `most` of them."""
        tape, state, cell = dict(enumerate(word)), self.start, 0
        taken: list[Action] = []
        while len(taken) < most and (chances := self.rules.get((state, tape.get(cell, self.blank)))):
            draw, action = Fraction(float(random.random())), next(iter(chances))
            for action, chance in chances.items():  # noqa: B007
                draw -= chance
                if draw < 0:
                    break
            tape[cell] = action.write
            cell, state = cell + action.move, action.state
            taken.append(action)
        return taken


def random_chances(states: int, symbols: int, seed: int, *, choices: int = 2) -> ChanceMachine:
    """A random machine that takes one of up to `choices` actions at each state and symbol."""
    random = np.random.default_rng(seed)
    names = [f"q{number}" for number in range(states)]
    letters = ["_", *(str(number) for number in range(symbols - 1))]
    rules: dict[RuleKey, dict[Action, Fraction]] = {}
    for state in names:
        for letter in letters:
            if rules and random.random() < 0.15:
                continue
            actions = list(dict.fromkeys(random_action(random, names, letters) for _ in range(choices)))
            weights = [int(random.integers(1, 8)) for _ in actions]
            rules[state, letter] = {a: Fraction(w, sum(weights)) for a, w in zip(actions, weights, strict=True)}
    return ChanceMachine("_", "q0", rules, tuple(letters[1:]))
