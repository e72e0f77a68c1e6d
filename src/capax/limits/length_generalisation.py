"""No length is enough for two layers of C-RASP.

Statement: There is no computable function that gives, for every C-RASP program of two layers, a length N such that
every program of its size that agrees with it on all words of up to N letters agrees with it on all words.
Idea: for one layer, two programs that differ do so at a last letter and at truth values of their m comparisons: at a
vector of letter counts, k whole numbers of at least 0, that solves m linear inequalities. With a slack for each these
are m equations in k + m unknowns, whose entries are at most 2 a + 1, and by Papadimitriou a system that has a solution
has one of at most (k + m) (m (2 a + 1))^(2 m + 1). So a word of k times that and one more letter tells the programs
apart. For automata of s and t states s + t - 2 letters are enough (Moore).
Cite: Yang, Bergsträßer, Zetzsche, Chiang and Lin (2026), Length generalization bounds for transformers, arXiv
2603.02238; Chen et al. (2025), Non-asymptotic length generalization; Papadimitriou (1981), On the complexity of integer
programming; Moore (1956), Gedanken-experiments on sequential machines.
Unchecked: The statement is that of the abstract of the first paper, whose text was not read: how it bounds the size of
programs is not known here. Papadimitriou's constant is cited. The bound for one layer is worked out here; that of Chen
et al., of which a summary says that it is of the order of the square of the numbers' size, may be far smaller.
Escapes: One layer. Programs in whose counts no two counts are compared with each other: `capax crasp` decides these on
all lengths. Regular languages: `capax recognise --crasp` decides in polynomial time whether one is in C-RASP at all,
and automata are compared exactly. The statement is about programs, not about one language.
Scope: the bound is computed exactly. `largest` is the largest absolute value of a letter's weight or a constant in a
comparison, and `comparisons` counts those of both programs.
"""

from capax.limits.base.limit import BoundVerdict, Finding, limit_in, no_statement, quantity
from capax.tasks.base.parameter import Parameter

LAYERS = Parameter("layers", 2, "the layers of the programs: how deep counts are nested", 1, 1_000)
LETTERS = Parameter("letters", 2, "the letters k of the alphabet", 1, 1_000)
COMPARISONS = Parameter("comparisons", 4, "the comparisons m of both programs", 1, 200)
LARGEST = Parameter("largest", 2, "the largest weight or constant a in a comparison", 1, 10**9)
STATES = Parameter("states", 8, "the states of an automaton, for automata", 1, 10**9)


def one_layer_length(letters: int, comparisons: int, largest: int) -> int:
    """A length that is enough to tell two programs of one layer apart, if they differ.

    >>> one_layer_length(1, 1, 1)
    55
    """
    entries = 2 * largest + 1
    most: int = (letters + comparisons) * (comparisons * entries) ** (2 * comparisons + 1)
    return letters * most + 1


def automata_length(first: int, second: int) -> int:
    """A length that is enough to tell two automata apart, if their languages differ."""
    return max(0, first + second - 2)


def compute(layers: int, letters: int, comparisons: int, largest: int, states: int) -> Finding:
    """The lengths that are enough, where there are any."""
    one_layer = one_layer_length(letters, comparisons, largest)
    enough = one_layer if layers == 1 else None
    none = "" if layers == 1 else "no computable bound from two layers on"
    rows = (
        quantity("length for the programs", enough, "letters", "derived" if layers == 1 else "cited", none),
        quantity("length for one layer", one_layer, "letters", "derived", "k (k + m) (m (2 a + 1))^(2 m + 1) + 1"),
        quantity("length for automata", automata_length(states, states), "letters", "cited", "both of `states` states"),
    )
    if layers == 1:
        return rows, no_statement("with one layer there is a length that is enough")
    text = (
        f"no computable bound on the length at which programs of {layers} layers differ: however long the words on "
        "which two of them agree, this does not prove that they agree on all"
    )
    return rows, BoundVerdict("impossible", text)


LIMIT = limit_in(
    __name__,
    (LAYERS, LETTERS, COMPARISONS, LARGEST, STATES),
    assumptions=("C-RASP programs without local or periodic atoms, read at the last letter",),
    task="language",
    small=({"layers": 1}, {"layers": 1, "letters": 3, "comparisons": 10}, {"layers": 5}),
)
