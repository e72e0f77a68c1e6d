"""The grammar of random programs: each part is drawn together with a text of what it computes.

In texts i is the position here; j, k and so on are the positions that selectors run over.
"""

import random
import re
from dataclasses import dataclass
from typing import Any, Final

from capax.rasp.python.embed import aggregate, best, indices, length, select, selector_width, tokens, where

LETTERS: Final = "abc"
POSITIONS: Final = "ijklmnopq"
NEIGHBOURS: Final = {0: "", -1: " - 1", -2: " - 2", 1: " + 1"}
"""How far a letter is from a position, as it is written."""
RELATIONS: Final = {"==": "=", "<": "<", "<=": "<=", ">": ">"}


NOTHING: Final = '""'
LENGTH_AT: Final = "length at "
"""What stands for the length in texts that are not whole yet, with the position that asks for it."""


@dataclass(frozen=True, slots=True)
class DrawnPart:
    """An s-op or a selector, and what it is in words."""

    op: Any
    text: str


@dataclass(frozen=True, slots=True)
class At:
    """A position in a text, and how many positions have names already."""

    name: str = POSITIONS[0]
    named: int = 1

    def other(self) -> "At":
        """A position with a new name."""
        return At(POSITIONS[self.named], self.named + 1)

    def beside(self, other: "At") -> "At":
        """This position, where another one has got a name."""
        return At(self.name, other.named)


def whole_text(drawn: DrawnPart, *, causal: bool) -> str:
    """What a program computes, in a sentence; of one that does not see later positions that is said, too."""
    text = re.sub(rf"{LENGTH_AT}(\w)", r"(\1 + 1)" if causal else "the length", bare(drawn.text))
    seen = ", no position seeing later ones" if causal else ""
    absent = f" A letter that is not there is {NOTHING}." if re.search(r"letter at \w [+-]|, where ", text) else ""
    return f"A random program. At each position i, from 0{seen}: {text}.{absent}"


def bare(text: str) -> str:
    """A text without the brackets around the whole of it."""
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and index < len(text) - 1:
            return text
    return text.removeprefix("(").removesuffix(")") if text.startswith("(") else text


class RandomPrograms:
    """Draws programs over letters; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices: Any) -> Any:
        """One of some things."""
        return self.random.choice(choices)

    def letters(self, at: At) -> DrawnPart:
        """An s-op of letters: the tokens, or those of a neighbour."""
        step = self.pick(0, -1, -2, 1)
        op = tokens if step == 0 else aggregate(select(indices, indices + step, "=="), tokens, "")
        return DrawnPart(op, f"the letter at {at.name}{NEIGHBOURS[step]}")

    def number(self, depth: int, at: At) -> DrawnPart:
        """An s-op of numbers."""
        if depth <= 0:
            here, whole = DrawnPart(indices, at.name), DrawnPart(length, LENGTH_AT + at.name)
            return here if self.pick(True, False, True) else whole
        match self.random.randrange(6):
            case 0:
                return self.count(depth, at)
            case 1:
                one, step = self.number(depth - 1, at), self.pick(1, -1)
                return DrawnPart(one.op + step, f"({one.text} {'+' if step > 0 else '-'} 1)")
            case 2:
                return DrawnPart(length - 1 - indices, f"({LENGTH_AT}{at.name} - 1 - {at.name})")
            case 3:
                test, yes, no = (draw(depth - 1, at) for draw in (self.boolean, self.number, self.number))
                return DrawnPart(where(test.op, yes.op, no.op), f"({yes.text} if {test.text}, else {no.text})")
            case 4:
                chosen, last = self.selector(depth - 1, at), at.other().name
                op = aggregate(best(chosen.op, indices), indices, -1)
                return DrawnPart(op, f"(the last {last} such that {chosen.text}, or -1)")
            case _:
                one, modulus = self.number(depth - 1, at), self.pick(2, 3)
                return DrawnPart(one.op % modulus, f"({one.text} modulo {modulus})")

    def count(self, depth: int, at: At) -> DrawnPart:
        """How many positions a selector chooses."""
        chosen = self.selector(depth - 1, at)
        return DrawnPart(selector_width(chosen.op), f"(the number of {at.other().name} such that {chosen.text})")

    def boolean(self, depth: int, at: At) -> DrawnPart:
        """An s-op of booleans."""
        kind = self.random.randrange(5)
        if kind == 0:
            letter = self.random.choice(LETTERS)
            return DrawnPart(tokens == letter, f"the letter at {at.name} is {letter}")
        if kind == 1 and depth > 0:
            one, number = self.number(depth - 1, at), self.pick(0, 1, 2)
            return DrawnPart(one.op == number, f"{one.text} = {number}")
        if kind == 2 and depth > 0:
            one, two = self.number(depth - 1, at), self.number(0, at)
            return DrawnPart(one.op > two.op, f"{one.text} > {two.text}")
        if kind == 3:
            one, letter = self.letters(at), self.random.choice(LETTERS)
            return DrawnPart(one.op == letter, f"{one.text} is {letter}")
        count, least = self.count(depth, at), self.pick(0, 1, 2)
        return DrawnPart(count.op > least, f"{count.text} > {least}")

    def selector(self, depth: int, at: At) -> DrawnPart:
        """A selector."""
        kind, other = self.random.randrange(6), at.other()
        same = f"the letter at {other.name} is that at {at.name}"
        if kind == 0:
            return DrawnPart(select(tokens, tokens, "=="), same)
        if kind == 1:
            letter = self.random.choice(LETTERS)
            return DrawnPart(select(tokens, letter, "=="), f"the letter at {other.name} is {letter}")
        if kind == 2:
            one = self.letters(other)
            return DrawnPart(select(one.op, tokens, "=="), f"{one.text} is that at {at.name}")
        if kind == 3 and depth > 0:
            key, query = self.number(depth - 1, other), self.number(depth - 1, at.beside(other))
            relation = self.pick("==", "<")
            return DrawnPart(select(key.op, query.op, relation), f"{key.text} {RELATIONS[relation]} {query.text}")
        relation = self.pick("<", "<=", ">")
        order = DrawnPart(select(indices, indices, relation), f"{other.name} {relation} {at.name}")
        return order if kind == 4 else DrawnPart(select(tokens, tokens, "==") & order.op, f"{same} and {order.text}")

    def program(self, depth: int) -> DrawnPart:
        """A program: an s-op of numbers, booleans or letters."""
        at = At()
        match self.random.randrange(5):
            case 0:
                return self.number(depth, at)
            case 1:
                test = self.boolean(depth, at)
                return DrawnPart(test.op, f"whether {test.text}")
            case 2:
                test, letter, other = self.boolean(depth - 1, at), self.letters(at), self.pick("", "a", tokens)
                texts = {"": NOTHING, "a": "a"}
                otherwise = texts[other] if isinstance(other, str) else f"the letter at {at.name}"
                return DrawnPart(where(test.op, letter.op, other), f"{letter.text} if {test.text}, else {otherwise}")
            case 3:
                chosen, last = self.selector(depth - 1, at), at.other()
                letter = self.letters(last)
                op = aggregate(best(chosen.op, indices), letter.op, "")
                return DrawnPart(op, f"{letter.text}, where {last.name} is the last position such that {chosen.text}")
            case _:
                there = at.other()
                number = self.number(depth - 1, at.beside(there))
                letter = self.letters(there)
                op = aggregate(select(indices, number.op, "=="), letter.op, "")
                return DrawnPart(op, f"{letter.text}, where {there.name} = {bare(number.text)}")
