"""Random programs for Tracr, as Python text in which `rasp` is Tracr's module or capax's."""

from random import Random

COMPARISONS = ("EQ", "LT", "LEQ", "GT", "GEQ", "NEQ", "TRUE", "FALSE")


def program(chance: Random, size: int = 4) -> str:
    """The text of a program on words of the letters a, b and c."""
    return chance.choice((_number, _number, _string, _boolean, _boolean))(chance, size)


def _number(chance: Random, size: int) -> str:
    if size <= 0:
        return chance.choice(("rasp.indices", "rasp.indices", "rasp.length", "rasp.Full(2)"))
    n = lambda: _number(chance, size - 1 - chance.randrange(2))  # noqa: E731
    c = chance.choice((-1, 0, 1, 2, 0.5))
    match chance.randrange(11):
        case 0:
            return f"({n()} {chance.choice('+-*')} {c})"
        case 1:
            return f"({c} {chance.choice('+-*')} {n()})"
        case 2:
            return f"({n()} {chance.choice('+-')} {n()})"
        case 3:
            return f"rasp.Map(lambda x: x % 3, {n()})"
        case 4:
            return f"rasp.Map(lambda x: None if x == 1 else x, {n()}, simplify=False)"
        case 5:
            return f"rasp.SequenceMap(lambda x, y: x * y - 1, {n()}, {n()})"
        case 6:
            return f"rasp.LinearSequenceMap({n()}, {n()}, {chance.choice((1, 2))}, {chance.choice((1, -1, 3))})"
        case 7:
            return f"rasp.SelectorWidth({_selector(chance, size - 1)})"
        case 8:
            return f"rasp.Map(lambda x: 12 / x, {n()})"
        case _:
            value = n() if chance.random() < 0.6 else _boolean(chance, size - 1)
            default = chance.choice(("None", "None", "0", "5", "-3", "True"))
            return f"rasp.Aggregate({_selector(chance, size - 1)}, {value}, default={default})"


def _string(chance: Random, size: int) -> str:
    if size <= 0:
        return "rasp.tokens"
    match chance.randrange(5):
        case 0:
            return f"rasp.Map(lambda x: x + '!', {_string(chance, size - 1)})"
        case 1:
            return f"rasp.Map(lambda x: 'p' if x > 1 else 'q', {_number(chance, size - 1)})"
        case 2:
            return f"rasp.SequenceMap(lambda x, y: x + str(y), {_string(chance, size - 1)}, rasp.indices)"
        case _:
            default = chance.choice(("None", "'z'", "0"))
            return f"rasp.Aggregate({_selector(chance, size - 1)}, {_string(chance, size - 1)}, default={default})"


def _boolean(chance: Random, size: int) -> str:
    match chance.randrange(7) if size > 0 else 0:
        case 0:
            return f"({_string(chance, 0)} == {chance.choice(('a', 'b'))!r})"
        case 1:
            return f"({_number(chance, size - 1)} {chance.choice(('<', '>=', '==', '!='))} {chance.choice((0, 1, 2))})"
        case 2:
            return f"(~{_boolean(chance, size - 1)})"
        case 3:
            return f"({_boolean(chance, size - 1)} {chance.choice('&|')} {_boolean(chance, size - 2)})"
        case 4:
            return f"rasp.Map(lambda x: x in ('a', 'b!'), {_string(chance, size - 1)})"
        case 5:
            return f"({_string(chance, size - 1)} != 'a').named('other than a')"
        case _:
            return f"rasp.Aggregate({_selector(chance, size - 1)}, {_boolean(chance, size - 1)})"


def _selector(chance: Random, size: int) -> str:
    n = lambda: _number(chance, max(size - 2, 0))  # noqa: E731
    match chance.randrange(9) if size > 0 else chance.randrange(4):
        case 0:
            return f"rasp.Select({n()}, {n()}, rasp.Comparison.{chance.choice(COMPARISONS)})"
        case 1:
            return f"rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.{chance.choice(COMPARISONS)})"
        case 2:
            return f"rasp.Select({n()}, {n()}, lambda k, q: k == q - 1)"
        case 3:
            return f"rasp.Select(rasp.indices, {n()}, rasp.Comparison.EQ)"
        case 4:
            return f"rasp.Select({n()}, {n()}, lambda k, q: (k or 0) % 2 == (q or 0) % 2)"
        case 5:
            return f"rasp.Select({_string(chance, size - 1)}, rasp.tokens, lambda k, q: k is None or k >= q)"
        case 6:
            return f"({_selector(chance, size - 1)} {chance.choice('&|')} {_selector(chance, size - 2)})"
        case 7:
            return f"(~{_selector(chance, size - 1)})"
        case _:
            return f"rasp.Select({n()}, {n()}, lambda k, q: (k, q) in ((0, 1), (1, 2), (2, 0), (1, 1)))"
