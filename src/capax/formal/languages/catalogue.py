"""The named languages, and the reading of their names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from capax.errors import CapaxError, nearest
from capax.formal.automata.dfa import Dfa, Word, near_word
from capax.formal.automata.groups import GROUPS, group
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.brackets import bounded_dyck, dyck, shuffle_dyck
from capax.formal.languages.counted import anbn, anbncn, copy, majority, palindrome
from capax.formal.languages.language import Language, Random


@dataclass(frozen=True, slots=True)
class Family:
    """A family of languages: how many whole numbers choose one, what it is, and the language for them."""

    parameters: tuple[str, ...]
    what: str
    make: Callable[..., Language]
    most: int = 50


def regular(family: str, automaton: Dfa, what: str, **parameters: int | str) -> Language:
    """A named regular language from its automaton."""
    least = automaton.minimal()

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        return near_word(least, random, length)

    def contains(word: Word) -> bool:
        return least.accepts(word)

    return Language(family, parameters, least.alphabet, what, contains, inside, least)


def counter(family: str, modulus: int, accepted: int, what: str, **parameters: int) -> Language:
    """Words over 0 and 1 whose number of ones has a remainder modulo a number."""
    delta = tuple((q, (q + 1) % modulus) for q in range(modulus))
    return regular(family, Dfa(("0", "1"), delta, 0, frozenset({accepted})), what, **parameters)


def parity() -> Language:
    """Words with an odd number of ones."""
    return counter("parity", 2, 1, "words over 0 and 1 with an odd number of ones")


def mod(p: int) -> Language:
    """Words whose number of ones is divisible by p."""
    if p < 2:
        raise CapaxError("bad-option", f"mod-{p} has no remainders", hint="p is at least 2")
    return counter("mod", p, 0, f"words over 0 and 1 whose number of ones is divisible by {p}", p=p)


def first() -> Language:
    """Words that begin with a one."""
    return regular("first", regex_dfa("1.*", "01"), "words over 0 and 1 that begin with 1")


def word_problem(name: str) -> Language:
    """Words over generators of a group whose product is the identity."""
    what = f"words over generators of the group {name} whose product is the identity"
    return regular("word-problem", group(name).word_problem(), what, group=name)


TOMITA = {
    1: ("1*", "words of ones"),
    2: ("(10)*", "repetitions of 10"),
    4: ("~(.*000.*)", "words without 000"),
    5: ("((00|11)|(01|10)(00|11)*(01|10))*", "words with even numbers of zeros and of ones"),
    7: ("0*1*0*1*", "words of at most four blocks, the first of zeros"),
}


def tomita(n: int) -> Language:
    """The n-th of Tomita's seven languages."""
    if not 1 <= n <= 7:
        raise CapaxError("bad-option", f"there is no tomita-{n}", hint="Tomita's languages are tomita-1 to tomita-7")
    if n == 3:  # states: even ones, odd ones, odd ones then odd zeros, odd ones then even zeros, failure
        delta = ((0, 1), (2, 0), (3, 4), (2, 1), (4, 4))
        what = "words without an odd block of ones and, right after it, an odd block of zeros"
        return regular("tomita", Dfa(("0", "1"), delta, 0, frozenset({0, 1, 3})), what, n=3)
    if n == 6:
        what = "words whose number of zeros minus that of ones is divisible by 3"
        return regular("tomita", Dfa(("0", "1"), ((1, 2), (2, 0), (0, 1)), 0, frozenset({0})), what, n=6)
    text, what = TOMITA[n]
    return regular("tomita", regex_dfa(text, "01"), what, n=n)


FAMILIES: dict[str, Family] = {
    "parity": Family((), "an odd number of ones", parity),
    "majority": Family((), "more ones than zeros", majority),
    "first": Family((), "words that begin with 1", first),
    "mod": Family(("p",), "a number of ones divisible by p", mod, most=2000),
    "dyck": Family(("k",), "k kinds of brackets that match", dyck),
    "bounded-dyck": Family(("k", "depth"), "the same, nested at most this deep", bounded_dyck),
    "shuffle-dyck": Family(("k",), "k kinds of brackets, each matching on its own", shuffle_dyck),
    "anbn": Family((), "a...ab...b, as many of each", anbn),
    "anbncn": Family((), "a...ab...bc...c, as many of each", anbncn),
    "palindrome": Family((), "words over a and b that read the same backwards", palindrome),
    "copy": Family((), "a word over a and b twice", copy),
    "tomita": Family(("n",), "Tomita's seven languages, 1 to 7", tomita),
}


def names() -> list[str]:
    """What `language` can be asked for, parameters in capitals."""
    plain = ["-".join([name, *(p.upper() for p in family.parameters)]) for name, family in FAMILIES.items()]
    return [*plain, "word-problem-GROUP"]


@cache
def language(name: str) -> Language:
    """The language of a name: the family, then its parameters, joined by dashes; PARITY is parity."""
    name = name.lower()
    if name.startswith("word-problem-"):
        return word_problem(name.removeprefix("word-problem-"))
    if name in GROUPS:
        return word_problem(name)
    for family, pattern in FAMILIES.items():
        rest = name.removeprefix(family).split("-")[1:] if name == family or name.startswith(f"{family}-") else None
        if rest is not None and all(part.isascii() and part.isdigit() for part in rest):
            return _language_of(family, pattern, [int(part) for part in rest if len(part) < 10])
    near = nearest(name, [*FAMILIES, "word-problem-s5"])
    hint = f"did you mean {near}?" if near else f"known are {', '.join(names())}"
    raise CapaxError("unknown-language", f"there is no language called {name!r:.60}", hint=hint)


def _language_of(family: str, pattern: Family, numbers: list[int]) -> Language:
    if len(numbers) != len(pattern.parameters) or any(not 1 <= x <= pattern.most for x in numbers):
        form = "-".join([family, *(p.upper() for p in pattern.parameters)])
        hint = f"write {form}" + (f", with numbers from 1 to {pattern.most:,}" if pattern.parameters else "")
        many = len(pattern.parameters)
        what = f"the language {family} has {many or 'no'} number{'s' * (many != 1)} in its name"
        raise CapaxError("unknown-language", what + (f", from 1 to {pattern.most:,}" if many else ""), hint=hint)
    return pattern.make(*numbers)
