"""The page that stands beside an exported model: what it is, and how to run it without capax."""

import random
from importlib.resources import files

from capax.errors import CapaxError
from capax.model.claim import claim
from capax.model.export.export_check import alphabet
from capax.model.export.target import Word
from capax.model.model import Model
from capax.model.vocabulary import Token

EXAMPLE_LENGTH = 5


def readme(model: Model, target: str) -> str:
    """The page of a model: its name, what it reads, how to run it, and its program if it has one.

    How to run it stands in `how.md` in the folder of a target, where {word} stands for a word of the model and
    {answers} for its answers.
    """
    how = files(f"capax.model.export.{target}").joinpath("how.md").read_text(encoding="utf-8")
    title = model.provenance.name or "a transformer"
    word, answers = example(model)
    parts = [f"# {title}", _about(model), how.replace("{word}", repr(word)).replace("{answers}", repr(answers))]
    program = model.provenance.program
    if program is not None:
        parts.append(f"## The program\n{_computes(model)}:\n\n```text\n{program.strip()}\n```")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _computes(model: Model) -> str:
    """What the model has to do with the program that stands below."""
    sentence = claim(model.provenance)
    return (
        "It computes this RASP program"
        if sentence is None
        else f"{sentence[0].upper()}{sentence[1:]}. The program as written"
    )


def example(model: Model) -> tuple[str | list[Token], list[Token]]:
    """A word that a model answers, as a string where it can be one, and its answers."""
    tokens = list(alphabet(model))
    longest = EXAMPLE_LENGTH if model.max_length is None else min(EXAMPLE_LENGTH, model.max_length)
    source = random.Random(0)
    word: Word = [source.choice(tokens) for _ in range(max(longest, model.min_length))]
    try:
        answers = model(word)
    except CapaxError:  # numbers too large for the number system: there is nothing to show
        answers = []
    text = all(isinstance(t, str) and len(t) == 1 for t in word)
    return "".join(map(str, word)) if text else list(word), answers


def _about(model: Model) -> str:
    longest = f"{model.min_length} to {model.max_length}" if model.max_length is not None else "any number of"
    tokens = ", ".join(f"`{t!r}`" for t in alphabet(model)[:12]) + (", ..." if len(alphabet(model)) > 12 else "")
    layers = f"{model.depth} attention layer{'s' * (model.depth != 1)}"
    return (
        f"A transformer with {layers}, of width {model.width}, in {model.numbers}, written by capax. It reads "
        f"words of {longest} tokens, of {tokens}, and gives an answer for each token."
    )
