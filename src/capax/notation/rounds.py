"""How many rounds a loop has: a rule that the length of the word alone decides.

Programs and models both have loops, so the rule is here. Nothing that depends on the word itself is a rule: a model
would have to compute when to halt, position by position, as the learned halting of Universal Transformers does. A state
that has come to rest is a fixed point of the body instead, so that further rounds change nothing.
"""

from typing import Any, Final, Literal, TypeAlias

LENGTH_ROUNDS: Final = "length"
BEFORE_LENGTH: Final = "length - 1"
LOG_ROUNDS: Final = "ceil_log2(length)"

Rounds: TypeAlias = int | Literal["length", "length - 1", "ceil_log2(length)"]
"""A constant number of rounds, or a function of the length."""

ROUNDS: Final[tuple[Rounds, ...]] = (LENGTH_ROUNDS, BEFORE_LENGTH, LOG_ROUNDS)
"""The rules that are functions of the length."""

MOST_ROUNDS: Final = 100_000
"""The largest constant number of rounds."""


def rounds_at(rounds: Rounds, length: int) -> int:
    """How many rounds a loop has on words of a length.

    >>> [rounds_at("ceil_log2(length)", n) for n in (1, 2, 3, 4, 5, 8, 9)]
    [0, 1, 2, 2, 3, 3, 4]
    >>> [rounds_at(rule, 7) for rule in ("length", "length - 1", 3)]
    [7, 6, 3]
    """
    match rounds:
        case "length":
            return length
        case "length - 1":
            return max(length - 1, 0)
        case "ceil_log2(length)":
            return max(length - 1, 0).bit_length()
        case _:
            return rounds


def is_rule(value: Any) -> bool:
    """Whether a value that comes from a file is a rule for rounds.

    >>> is_rule("length"), is_rule(3), is_rule(True), is_rule("often")
    (True, True, False, False)
    """
    if isinstance(value, str):
        return value in ROUNDS
    return type(value) is int and 0 <= value <= MOST_ROUNDS


def same_rounds(rounds: Rounds, length: int) -> tuple[int, int | None]:
    """The shortest and the longest length with as many rounds as a length has; None where there is no longest.

    >>> same_rounds("ceil_log2(length)", 7), same_rounds("length", 7), same_rounds(2, 7)
    ((5, 8), (7, 7), (1, None))
    """
    if isinstance(rounds, int):
        return 1, None
    count = rounds_at(rounds, length)
    if rounds == LOG_ROUNDS:
        return (1, 1) if count == 0 else (2 ** (count - 1) + 1, 2**count)
    return length, length


def rounds_text(rounds: Rounds, *, unit: str = "rounds") -> str:
    """The rule in words.

    >>> rounds_text("length - 1"), rounds_text(1), rounds_text(4)
    ('length - 1 rounds', '1 round', '4 rounds')
    """
    return f"{rounds} {unit.removesuffix('s') if rounds == 1 else unit}"
