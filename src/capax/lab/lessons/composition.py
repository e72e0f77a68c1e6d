"""The value of composed functions, whose tables stand in the prompt; with thoughts every step is answered."""

import numpy as np

from capax.lab.lessons.frame.lesson import NOTHING, At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter

DOMAIN = Parameter("domain", 0, "the functions go from 0 ... domain-1 to itself; 0: as large as the length asks for", 0)
FUNCTIONS = Parameter("functions", 2, "how many functions are composed", 1, 64)
THOUGHTS = Parameter("thoughts", False, "the values between are answered too, one after the other")


def _size(at: At, n: int) -> int:
    """The size of the domain: the length of a lesson's words counts its points."""
    return int(at["domain"] or n)


def _words(at: At, n: int) -> Words:
    known = tuple(range(_size(at, n)))
    return Words(known, known)


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    """Prompts f_1(0) ... f_1(m-1) ... f_K(m-1) x, and with thoughts the values up to f_(K-1) after them."""
    m, functions = _size(at, n), at["functions"]
    tables = random.integers(0, m, (count, functions, m))
    value = random.integers(0, m, count)
    steps = [value]
    for k in range(functions):
        value = tables[np.arange(count), k, value]
        steps.append(value)
    shown = np.stack(steps[:-1] if at["thoughts"] else steps[:1], axis=1)
    inputs = np.concatenate([tables.reshape(count, -1), shown], axis=1)
    answers = np.full(inputs.shape, NOTHING)
    if at["thoughts"]:
        answers[:, -functions:] = np.stack(steps[1:], axis=1)
    else:
        answers[:, -1] = steps[-1]
    return Batch(inputs, answers)


LESSON = Lesson(
    "composition",
    "the value of composed functions, whose tables stand in the prompt, at the point that stands last",
    _words,
    _batch,
    (DOMAIN, FUNCTIONS, THOUGHTS),
    causal=lambda at: bool(at["thoughts"]),  # the next token is the answer
)
