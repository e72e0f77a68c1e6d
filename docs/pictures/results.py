"""Pictures of the theorems and of the limits, one file each: `python docs/pictures/results.py [NAME ...]`.

A theorem's picture is the attention of its model, built at a small size, on a word of its task where it takes one, else
on any word; a limit's is its curve at the defaults. Those without a picture are named at the end, with the reason.
"""

import random
import sys
from pathlib import Path
from typing import Any

from capax import limits, tasks, theorems
from capax.draw.ink.svg import svg
from capax.draw.subjects.chart import draw_chart
from capax.draw.subjects.model_view import model_flow
from capax.errors import CapaxError
from capax.model.model import Model

HERE = Path(__file__).parent
SHORT = {"length": 8, "n": 6, "steps": 6, "modulus": 5, "subsets": 10}
"""Sizes at which a picture can be read; a theorem that takes none of them is drawn at its defaults."""
OWN = {"iterated-composition": {"n": 3, "steps": 2, "choices": 1}}
"""Sizes of theorems whose words are long at those above."""
WIDEST = 14
"""Tokens of a word that is drawn, at most."""
LARGEST = 250_000
"""Bytes of a picture, at most."""


def theorem_picture(name: str) -> str:
    """The attention of a theorem's model on a random word of its vocabulary, as SVG."""
    theorem = theorems.theorem(name)
    known = {parameter.name for parameter in theorem.parameters}
    sizes = OWN.get(name) or {size: value for size, value in SHORT.items() if size in known}
    model = theorem.build(**sizes)
    return svg(model_flow(model, word_of(theorem.task, model), title=theorem.title))


def word_of(task: str | None, model: Model) -> list[Any]:
    """A word of the model's task if there is one that the model takes, else of its vocabulary."""
    source = random.Random(1)
    known = {repr(token) for token in model.vocabulary.tokens}
    longest = min(WIDEST, model.max_length or WIDEST)
    length = max(model.min_length, min(8, longest))
    for size in range(longest, 0, -1) if task is not None else ():
        try:
            (word,) = tasks.task(task).samples(1, size, 1)
        except (CapaxError, TypeError, ValueError):
            continue
        if (
            isinstance(word, list)
            and model.min_length <= len(word) <= longest
            and {repr(token) for token in word} <= known
        ):
            return word
    tokens = [token for token in model.vocabulary.tokens if token not in model.prefix]
    return [source.choice(tokens) for _ in range(length)]


def write(folder: str, name: str, text: str) -> None:
    """Writes a picture, unless it is too large to be looked at."""
    if len(text) > LARGEST:
        raise CapaxError("too-large", f"{len(text):,} bytes")
    (HERE / folder).mkdir(exist_ok=True)
    (HERE / folder / f"{name}.svg").write_text(text, encoding="utf-8")


def main(chosen: list[str]) -> None:
    """Draws the theorems and limits that are named, or all."""
    for name in theorems.names():
        if not chosen or name in chosen:
            try:
                write("theorems", name, theorem_picture(name))
            except (CapaxError, ValueError, TypeError, KeyError) as error:
                print(f"{name}: {error}")
    for name in limits.names():
        if not chosen or name in chosen:
            try:
                chart = limits.limit(name).picture()
            except CapaxError as error:
                print(f"{name}: {error}")
                continue
            if chart is not None:
                write("limits", name, draw_chart(chart))
            else:
                print(f"{name}: no curve")


if __name__ == "__main__":
    main(sys.argv[1:])
