"""Languages that need counting or comparing, and are not regular."""

from capax.formal.automata.dfa import Word
from capax.formal.languages.language import Language, Random


def majority() -> Language:
    """Words over 0 and 1 with more ones than zeros."""

    def contains(word: Word) -> bool:
        return 2 * sum(symbol == "1" for symbol in word) > len(word)

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        if not length:
            return None
        least = length // 2 + 1  # as few as may be are the words that are hard to tell
        ones = least if random.random() < 0.5 else int(random.integers(least, length + 1))
        return shuffled(random, "1" * ones + "0" * (length - ones))

    return Language("majority", {}, ("0", "1"), "words over 0 and 1 with more ones than zeros", contains, inside)


def anbn() -> Language:
    """a^n b^n."""
    return _blocks("anbn", "ab")


def anbncn() -> Language:
    """a^n b^n c^n."""
    return _blocks("anbncn", "abc")


def _blocks(family: str, letters: str) -> Language:
    def contains(word: Word) -> bool:
        n, rest = divmod(len(word), len(letters))
        return not rest and list(word) == [letter for letter in letters for _ in range(n)]

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        return tuple(letter for letter in letters for _ in range(length // len(letters)))

    what = f"as many {' as '.join(letters)}, in this order"
    return Language(family, {}, tuple(letters), what, contains, inside)


def palindrome() -> Language:
    """Words over a and b that read the same backwards."""

    def contains(word: Word) -> bool:
        return list(word) == list(word)[::-1]

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        half = _letters(random, (length + 1) // 2)
        return half + half[: length // 2][::-1]

    return Language("palindrome", {}, ("a", "b"), "words over a and b that read the same backwards", contains, inside)


def copy() -> Language:
    """Words over a and b that are a word twice."""

    def contains(word: Word) -> bool:
        half, odd = divmod(len(word), 2)
        return not odd and list(word[:half]) == list(word[half:])

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        return _letters(random, length // 2) * 2

    return Language("copy", {}, ("a", "b"), "words over a and b that are a word twice", contains, inside)


def shuffled(random: Random, word: Word) -> tuple[str, ...]:
    """The symbols of a word in a random order."""
    return tuple(word[int(x)] for x in random.permutation(len(word)))


def _letters(random: Random, length: int) -> tuple[str, ...]:
    return tuple("ab"[int(x)] for x in random.integers(2, size=length))
