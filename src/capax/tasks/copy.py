"""Copy: the word as it is."""

from capax.tasks.base.training import Array, ParameterValues, Training
from capax.tasks.inputs.letters import SYMBOLS, letter_task, to_letters, uniform_batches


def reference(word: list[str], symbols: int) -> list[str]:
    """The tokens in their order."""
    return list(word)


def _answer(inputs: Array, at: ParameterValues) -> Array:
    return inputs.copy()


TASK = letter_task(
    "copy",
    "the word as it is",
    reference,
    Training(
        to_letters,
        uniform_batches(_answer),
        (SYMBOLS,),
        program=lambda at, bos: "tokens",
    ),
)
