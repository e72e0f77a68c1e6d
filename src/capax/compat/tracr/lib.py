"""The programs of Tracr's library, under the same names; some say what they leave out there and have here."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from capax.compat.tracr import rasp
from capax.compat.tracr.rasp import Comparison, SOp
from capax.errors import CapaxError


def make_length() -> SOp:
    """The length of the word, at every position."""
    everything = rasp.Select(rasp.tokens, rasp.tokens, Comparison.TRUE).named("all_true_selector")
    return rasp.SelectorWidth(everything).named("length")


length = make_length()


def make_reverse(sop: SOp) -> SOp:
    """The values from the last to the first."""
    mirrored = (length - rasp.indices - 1).named("mirrored")
    return rasp.Aggregate(rasp.Select(rasp.indices, mirrored, Comparison.EQ).named("mirror"), sop).named("reverse")


def make_frac_prevs(bools: SOp) -> SOp:
    """Which fraction of the positions so far has true."""
    so_far = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)
    return rasp.numerical(rasp.Aggregate(so_far, rasp.numerical(bools), default=0)).named("frac_prevs")


def make_pair_balance(sop: SOp, open_token: str, close_token: str) -> SOp:
    """The fraction of opening tokens so far, less that of closing ones."""
    opens = make_frac_prevs(sop == open_token).named("opens")
    closes = make_frac_prevs(sop == close_token).named("closes")
    return rasp.numerical(rasp.LinearSequenceMap(opens, closes, 1, -1)).named("pair_balance")


def make_shuffle_dyck(pairs: list[str]) -> SOp:
    """Whether each pair of brackets is balanced, regardless of the others."""
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise CapaxError("bad-option", f"brackets come in pairs such as '()', not {pairs!r:.60}")
    balances = [make_pair_balance(rasp.tokens, *pair).named(f"balance_{n}") for n, pair in enumerate(pairs)]
    below = reduce(lambda a, b: a | b, [b < 0 for b in balances])
    everywhere = rasp.Select(rasp.indices, rasp.indices, Comparison.TRUE)
    ever_below = rasp.numerical(rasp.Aggregate(everywhere, rasp.numerical(below), default=0)).named("ever_below")
    closed = reduce(lambda a, b: a & b, [b == 0 for b in balances])
    last = rasp.Select(rasp.indices, length - 1, Comparison.EQ).named("last")
    return (rasp.Aggregate(last, closed).named("closed_at_end") & ~ever_below).named("shuffle_dyck")


def make_shuffle_dyck2() -> SOp:
    """Whether round and curly brackets are balanced, regardless of each other."""
    return make_shuffle_dyck(["()", "{}"]).named("shuffle_dyck2")


def make_hist() -> SOp:
    """How often each token occurs in the word."""
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ).named("same")).named("hist")


def make_sort_unique(vals: SOp, keys: SOp) -> SOp:
    """The values in the order of their keys, no two of which are equal."""
    rank = rasp.SelectorWidth(rasp.Select(keys, keys, Comparison.LT).named("smaller")).named("rank")
    return rasp.Aggregate(rasp.Select(rank, rasp.indices, Comparison.EQ), vals).named("sort")


def make_sort(vals: SOp, keys: SOp, *, max_seq_len: int, min_key: float) -> SOp:
    """The values in the order of their keys, which are at least `min_key` apart; equal ones stay in their order."""
    apart = rasp.SequenceMap(lambda key, position: key + min_key * position / max_seq_len, keys, rasp.indices)
    return make_sort_unique(vals, apart)


def make_sort_freq(max_seq_len: int) -> SOp:
    """The tokens, the most frequent first; those that are equally frequent stay in their order."""
    return make_sort(rasp.tokens, -1 * make_hist(), max_seq_len=max_seq_len, min_key=1).named("sort_freq")


def shift_by(offset: int, /, sop: SOp) -> SOp:
    """The values, moved to the right; None where there is none to come."""
    moved = rasp.Select(rasp.indices, rasp.indices, lambda key, query: key + offset == query)
    return rasp.Aggregate(moved, sop, default=None).named(f"shift_by({offset})")


def detect_pattern(sop: SOp, pattern: Sequence[Any]) -> SOp:
    """Whether a pattern ends at each position; None at positions that come too early for it."""
    if not pattern:
        raise CapaxError("bad-option", "a pattern has at least one element")
    last = len(pattern) - 1
    matches = [sop == x if n == last else shift_by(last - n, sop == x) for n, x in enumerate(pattern)]
    return reduce(lambda a, b: a & b, matches).named(f"detect_pattern({pattern})")


def make_count_less_freq(n: int) -> SOp:
    """How many positions have a token that occurs at most n times, at every position."""
    hist = make_hist()
    return rasp.SelectorWidth(rasp.Select(hist, hist, lambda key, query: key <= n)).named("count_less_freq")


def make_count(sop: SOp, token: Any) -> SOp:
    """How often a token occurs, at every position."""
    return rasp.SelectorWidth(rasp.Select(sop, sop, lambda key, query: key == token)).named(f"count_{token}")


def make_nary_sequencemap(f: Callable[..., Any], *sops: SOp) -> SOp:
    """A function of the values of several s-ops at each position."""
    first, *others = sops
    gathered: SOp = rasp.Map(lambda x: (x,), first)
    for sop in others:
        gathered = rasp.SequenceMap(lambda values, x: (*values, x), gathered, sop)
    return rasp.Map(lambda values: f(*values), gathered)
