"""Restricted isometry, and q-sparse averaging from it.

Statement: there is a constant C such that for every delta in (0, 1/2), q and N, a random m x N matrix U of signs over
sqrt(m) with m >= C q ln N / delta^2 has with positive probability the (q, delta) property: |Uv|^2 is within delta |v|^2
of |v|^2 and |<Uv, Uv'>| <= delta |v| |v'| for v of support at most q and v' of support at most 2q, disjoint from it.
Then every set y of q columns has a w with |w| <= sqrt(q) / (1 - 2 delta), <u_j, w> = 1 on y and at most delta / (1 - 2
delta) in size elsewhere. With delta = 1/4, keys u_j and queries alpha w', where alpha = ceil(2 ln(4N / eps)) and w' is
w rounded by at most eps / (4 alpha), a softmax head weighs each position of y by (1/q) e^(+-eps/2) and each other one
by at most eps / (2N), so it is within eps of the mean over y.
Idea: few columns of random signs are nearly orthogonal, so a vector can be 1 on some of them and small on the rest.
Cite: Candes and Tao (2005), Decoding by linear programming; Sanford, Hsu and Telgarsky (2023), Representational
strengths and limitations of transformers, Theorem 2. The bounds on single weights are derived here.
Scope: U is drawn from the seed; the columns for m are the first of those for m + 1. Its constant is computed over all
pairs of supports where there are at most 200,000, else bounded: above by coherence and sums of products (exact whole
numbers), below by vectors that power iteration found (exact products). C is not known here: an m that was found (a
larger one may fail) is printed beside q ln N / delta^2. The dual vectors are measured for every set where
there are at most 5,000, else for a sample; for delta above 0.3 their products outside are held to 3/4, so that sets
stand out. The check fails where U is seen not to have the property, or a dual vector is longer than the lemma says.
Without an m given, one with the property is taken if it is at most 2,000; else the report says so, and one with the
norm bound is taken. The model's table has all sets if that is at most 300,000 numbers, else a sample.
"""

import math
from dataclasses import dataclass

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.model.model import Model
from capax.report import Evidence, Report, joined
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.sparse_averaging.parts.dual import nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.isometry import MOST_PAIRS, STARTS, IsometryConstant, pairs_of_supports
from capax.theorems.sparse_averaging.parts.lemma_dual import grid, norm_bound, outside_bound, product_bound, rounded
from capax.theorems.sparse_averaging.parts.radon import below
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys, subsets_for
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.rip_search import (
    MOST_M,
    MOST_PROVED,
    constant_of,
    dual_lengths,
    lemma_duals,
    m_with_duals,
    m_with_property,
    table_sets,
)
from capax.theorems.sparse_averaging.parts.single_weights import weights_report
from capax.theorems.sparse_averaging.parts.unit import table_unit
from capax.theorems.sparse_averaging.parts.worst_error import proved, report


@dataclass(frozen=True, slots=True)
class RipParameters:
    """The parameters of the theorem."""

    n: int = parameter(12, "the number N of columns: of positions", 3, 1000)
    q: int = parameter(2, "how many positions each position names; N is at least 3q", 1, 32)
    delta: float = parameter(0.25, "the delta of the property, below 1/2", 0.05, 0.499)
    m: int = parameter(0, "the rows of U; 0 for an m that is looked for", 0, MOST_M)
    error: float = parameter(0.1, "the error eps that is allowed", 1e-4, 0.999)
    seed: int = parameter(0, "the seed of U, and of what is tried", 0)
    subsets: int = parameter(100, "how many random sets are tried where there are more than 5,000", 1, 2000)


def _random_keys(at: RipParameters) -> RandomKeys:
    if at.n < 3 * at.q:
        what = f"supports of q = {at.q} and 2q columns do not fit into N = {at.n}"
        raise CapaxError("bad-option", what, hint=f"give an n of at least {3 * at.q}")
    return RandomKeys(at.n, at.q, at.seed, at.subsets)


def settled_m(at: RipParameters) -> int:
    """The m that is meant: itself, or for 0 one with the property, else (if too large) with the norm bound."""
    keys = _random_keys(at)
    if at.m:
        return at.m
    start = m_with_property(keys, at.delta)
    too_large = start is None or start > MOST_M
    m = m_with_duals(keys, at.delta, at.q if start is None or too_large else start)
    if m is None:
        raise CapaxError(
            "too-large",
            f"no m up to {MOST_M:,} has dual vectors within the bound",
            hint="give a smaller n or q, or a larger delta",
        )
    return m


def without_property(at: RipParameters) -> bool:
    """Whether an m was looked for, and none with the property is small enough for a model."""
    least = m_with_property(_random_keys(at), at.delta)
    return not at.m and (least is None or least > MOST_M)


def alpha_of(at: RipParameters) -> int:
    """The factor of the queries: ceil(2 ln(4N / eps)), and more where products outside may be above 1/2."""
    return math.ceil(math.log(4 * at.n / at.error) / (1 - max(0.5, product_bound(at.delta))))


def construct(at: RipParameters) -> Model:
    """The attention unit with the rounded dual vectors."""
    keys, m = _random_keys(at), settled_m(at)
    alpha = alpha_of(at)
    step = grid(m, at.error, alpha)
    duals = np.array([rounded(dual.vector, step) for dual in lemma_duals(keys, m, at.delta)])
    signs = sign_keys(at.n, m, at.seed)
    return table_unit(signs, alpha * duals / math.sqrt(m), table_sets(keys, m, at.delta).subsets, 1, "float64")


def verify(model: Model, at: RipParameters) -> Report:
    """The property of U, the dual vectors, the model's weights one by one, and its answers."""
    keys, m = _random_keys(at), settled_m(at)
    which, reading = table_sets(keys, m, at.delta), TokenReading(at.n, at.q, 1)
    statement = f"random signs with m = {m} give sparse averages by the lemma, for delta = {at.delta:g}"
    property_parts = _property(keys, m, at)
    if without_property(at):
        statement = f"random signs with m = {m} have the lemma's dual vectors, which give sparse averages"
        property_parts = _larger(keys, m, at)
    return joined(
        statement,
        (
            *property_parts,
            _duals(keys, m, at),
            weights_report(model, reading, which.subsets, at.error, at.seed, all_of_them=which.all),
            report(model, reading, which, at.error, at.seed),
        ),
    )


def prove(model: Model, at: RipParameters, least: int) -> ModelProof | None:
    """Whether a model is within the error on all subsets and all vectors of the unit ball, if the subsets are few."""
    which = table_sets(_random_keys(at), settled_m(at), at.delta)
    return proved(model, TokenReading(at.n, at.q, 1), which, at.error, at.seed)


def _larger(keys: RandomKeys, m: int, at: RipParameters) -> tuple[Report, ...]:
    """The property at an m that is too large for a model; nothing where no such m was found."""
    larger = m_with_property(keys, at.delta)
    if larger is None:
        return ()
    statement = f"U has the (q, delta) property for q = {at.q}, delta = {at.delta:g} at m = {larger:,}"
    figures = {
        "too large to build": f"a model has an m of at most {MOST_M:,}; all else is checked at m = {m}",
        f"the constant at m = {m}": _between(constant_of(keys, m)),
    }
    return (Report(statement, "exact", True, seed=at.seed, figures=figures),)


def _property(keys: RandomKeys, m: int, at: RipParameters) -> tuple[Report, ...]:
    """Whether U has the property; where it is not known, no violation was found, which the statement says."""
    constant = constant_of(keys, m)
    standing = constant.standing(at.delta)
    statement = f"U has the (q, delta) property for q = {at.q}, delta = {at.delta:g}"
    if standing == "undecided":
        statement = f"no violation of the (q, delta) property was found, and it is not proved (delta = {at.delta:g})"
    evidence: Evidence = "exhaustive" if constant.exact else "sampled" if standing == "undecided" else "exact"
    one = Report(
        statement,
        evidence,
        standing != "fails",
        count={"exhaustive": constant.pairs, "sampled": STARTS}.get(evidence),
        seed=at.seed,
        figures={"the constant": _between(constant)},
        counterexample={"supports": [list(one) for one in constant.supports], "constant at least": constant.low}
        if standing == "fails"
        else None,
    )
    return (one,)


def _between(constant: IsometryConstant) -> str:
    return f"{constant.low:.6f}" if constant.exact else f"from {constant.low:.4f} to {constant.high:.4f}"


def _duals(keys: RandomKeys, m: int, at: RipParameters) -> Report:
    """Whether the dual vectors are as the lemma says."""
    which, lengths = subsets_for(keys, m), dual_lengths(keys, m, at.delta)
    wrong = next((s for s, one in zip(which.subsets, lengths, strict=True) if not one.meets(at.q, at.delta)), None)
    limit = (
        "delta/(1 - 2 delta)" if product_bound(at.delta) == outside_bound(at.delta) else "3/4 (the lemma allows more)"
    )
    unproved = without_property(at) and m_with_property(keys, at.delta) is None
    nothing = f"nothing of the property of U, which was proved for no m up to {MOST_PROVED:,}"
    return Report(
        f"dual vectors: 1 on the set, not longer than sqrt(q)/(1 - 2 delta), at most {limit} outside",
        "exhaustive" if which.all else "sampled",
        wrong is None,
        count=len(lengths),
        seed=at.seed,
        figures={
            "longest": f"{max(one.norm for one in lengths):.4f}, allowed {norm_bound(at.q, at.delta):.4f}",
            "largest product outside": f"{max(d.outside for d in lengths):.4f}, allowed {product_bound(at.delta):.4f}",
        },
        counterexample=None if wrong is None else {"subset": list(wrong)},
        assumptions=(nothing,) if unproved else (),
    )


def size(at: RipParameters) -> tuple[SizeRow, ...]:
    """The rows of U, the constant, the dual vectors and the rounding, beside what is stated."""
    keys, m = _random_keys(at), settled_m(at)
    constant, duals = constant_of(keys, m), lemma_duals(keys, m, at.delta)
    alpha = alpha_of(at)
    step = grid(m, at.error, alpha)
    widest = max(float(np.abs(dual.vector).max()) for dual in duals)
    moved = max(float(np.linalg.norm(rounded(dual.vector, step) - dual.vector)) for dual in duals)
    longest, allowed = max(one.norm for one in dual_lengths(keys, m, at.delta)), norm_bound(at.q, at.delta)
    sharp = 2 * math.log(4 * at.n / at.error)
    return (
        *_found_rows(keys, m, at),
        SizeRow("isometry constant at m", _between(constant), at.delta, "over supports of q and 2q columns"),
        SizeRow(
            "longest dual vector", round(longest, 4), round(allowed, 4), f"sqrt(q)/(1 - 2 delta); {_sets(keys, m)}"
        ),
        SizeRow("alpha", alpha, round(sharp, 1), "2 ln(4N / eps), more for delta above 1/4"),
        SizeRow("w moved by rounding", float(f"{moved:.3g}"), float(f"{at.error / (4 * alpha):.3g}"), "eps/(4 alpha)"),
        SizeRow(
            "bits p of a coordinate of w",
            math.ceil(math.log2(widest / step)) + 1,
            round(math.log2(at.q / at.error * math.log(at.n)), 1),
            "bound: log2((q / eps) ln N), without its constant",
        ),
    )


def _sets(keys: RandomKeys, m: int) -> str:
    """Over which sets the dual vectors are measured."""
    which = subsets_for(keys, m)
    if which.all:
        return "all sets"
    return f"a sample of {len(which.subsets):,} of {math.comb(keys.length, keys.q):,} sets"


def _found_rows(keys: RandomKeys, m: int, at: RipParameters) -> tuple[SizeRow, ...]:
    """m, and one with the property and one with the norm bound, beside q ln N / delta^2."""
    unit = at.q * math.log(at.n) / at.delta**2
    proved, dual_m = m_with_property(keys, at.delta), m_with_duals(keys, at.delta, at.q)
    how = "all supports tried" if pairs_of_supports(at.n, at.q) <= MOST_PAIRS else "proved by the upper bounds"
    constant = "" if proved is None else f"; C = {proved / unit:.3f} here"
    if proved is not None and proved > MOST_M:
        constant += f"; above {MOST_M:,}, too large to build"
    none, fails = "none found", "a larger m may fail"
    chosen = "bound: q ln N / delta^2, without its constant C"
    return (
        SizeRow("rows m of U", m, round(unit, 1), chosen),
        SizeRow("an m with the property", none if proved is None else proved, round(unit, 1), how + constant),
        SizeRow(
            "an m with the norm bound",
            none if dual_m is None else dual_m,
            round(unit, 1),
            f"{fails}; {_sets(keys, dual_m or m)}",
        ),
    )


def break_it(at: RipParameters) -> Report:
    """The failure with 2q - 1 rows, on a set that no query singles out."""
    _random_keys(at)
    signs, alpha = sign_keys(at.n, 2 * at.q - 1, at.seed), alpha_of(at)
    return below(
        signs,
        TokenReading(at.n, at.q, 1),
        at.error,
        at.seed,
        lambda subset: table_unit(signs, alpha * nearest_dual(signs, subset[0])[None], subset, 1, "float64"),
    )


THEOREM = theorem_in(
    __name__,
    RipParameters,
    assumptions=(
        "the map from a position's token to its query is any function: a table over the sets",
        "the property, or that no violation was found, is checked for the U that was drawn",
    ),
    attention="softmax",
    precision="w rounded to eps/(4 alpha), which takes the bits of the last row; the rest in float64",
    task="q-sparse-averaging",
    small=(
        {"n": 9, "q": 1, "delta": 0.2, "error": 0.5},
        {"n": 9, "q": 3, "delta": 0.3},
    ),
    large=({"n": 14, "q": 2, "delta": 0.15}, {"n": 40, "q": 2}),
)
