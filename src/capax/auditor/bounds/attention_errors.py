"""Rounding inside the attention, seen from one query, for all words of a class.

Lemma. Let the computed weight of key j be w_j (1 + r_j), |r_j| <= rho_j, and its computed value v_j + d_j. The mean of
the exact values under the computed weights differs from y by sum_j p_j r_j (v_j - y) / (1 + sum_j p_j r_j), where p_j
are the exact shares. So g . (error) is at most sum_j p_j T_j, where T_j collects rho_j |g . (v_j - y)| / (1 - rho),
|g . d_j| and the rounding of the sums; and a mean of numbers T_j over the keys is what the oracle bounds over a class.

A score is wrong by at most e, its distance a from the highest score is rounded, and exp is within 4 units in the last
place: rho = expm1(e + 2 u a + u) + 10 u. A number added to all scores changes nothing, so the error of the query counts
against keys minus a common key.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from capax.auditor.bounds.class_bound import ClassBounds
from capax.auditor.bounds.oracle import WordClasses, support_of
from capax.auditor.bounds.table_errors import HeadErrors, NoisyVectors, TableErrors, gamma
from capax.auditor.bounds.tables import AnswerQuery, HeadTable, Tables
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class KeyErrors:
    """Keys (...,) of one head: scores, errors rho of weights, values (..., v) and their generators (..., C, v).

    `size` (..., v) is the most by which a computed value differs.
    """

    score: Array
    rho: Array
    value: Array
    noise: Array
    size: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", np.abs(self.noise).sum(axis=-2))


@dataclass(frozen=True, slots=True, eq=False)
class QueryErrors:
    """Rounding seen from one query: for each head the letters' keys (N, alphabet) and the constant ones (keys,)."""

    u: float
    stream: Array
    letters: tuple[KeyErrors, ...]
    constants: tuple[KeyErrors, ...]
    keys: int


def query_errors(tables: Tables, errors: TableErrors, query: AnswerQuery) -> QueryErrors:
    """The rounding errors of the keys that a query sees; `query` may be of the first letters alone."""
    at, own = tables.prefix + query.position, query.letter or 0
    fixed = tables.constant()
    n = len(query.heads[0].weight) if query.heads else 0
    letters, constants = [], []
    for k, (head, table) in enumerate(zip(errors.heads, query.heads, strict=True)):
        scores, e = tables.scores(k, at, own), _score_errors(tables, k, at, own, head, errors.u)
        part = _keys(scores, e, table.shift, head.value, errors.u)
        letters.append(_select(part, np.flatnonzero(~fixed)[:n]))
        constant = _select(part, np.flatnonzero(fixed))
        first = KeyErrors(constant.score[:, 0], constant.rho[:, 0], constant.value[:, 0], constant.noise[:, 0])
        constants.append(_with_sink(first, tables, k, at, own, head, table, errors.u))
    return QueryErrors(errors.u, errors.stream[at, own], tuple(letters), tuple(constants), tables.total + 1)


def _keys(scores: Array, e: Array, shift: float, value: NoisyVectors, u: float) -> KeyErrors:
    seen = np.isfinite(scores)
    a = np.where(seen, np.maximum(shift - np.where(seen, scores, shift), 0.0), 0.0)
    with np.errstate(over="ignore"):
        rho = np.expm1(e + 2 * u * a + u) + 10 * u
    return KeyErrors(scores, np.where(seen, rho, 0.0), value.value, value.noise)


def _select(keys: KeyErrors, at: Array) -> KeyErrors:
    return KeyErrors(keys.score[at], keys.rho[at], keys.value[at], keys.noise[at])


def _score_errors(tables: Tables, head: int, at: int, own: int, errors: HeadErrors, u: float) -> Array:
    """How wrong the score of each key (positions, letters) can be, up to a number common to all of them."""
    scale = abs(tables.heads[head].scale)
    q, q_noise, q_size = errors.query.value[at, own], errors.query.noise[at, own], errors.query.size[at, own]
    key, k_size = errors.key.value, errors.key.size
    common = _common_key(tables, head, at, own, key)
    from_query = np.abs((key - common) @ q_noise.T).sum(axis=-1)
    from_key = np.abs(errors.key.noise @ q).sum(axis=-1)
    local = gamma(len(q) + 4, u) * ((np.abs(key) + k_size) @ (np.abs(q) + q_size))
    return np.asarray(scale * (from_query + from_key + k_size @ q_size + local) * (1 + 1e-6))


def _common_key(tables: Tables, head: int, at: int, own: int, key: Array) -> Array:
    """The mean of the keys (positions, letters, features) of one head by their weights: heavy keys are near it.

    Any key would do: what it adds to all scores changes nothing.
    """
    scores = tables.scores(head, at, own)
    if not np.isfinite(scores).any():
        return np.zeros(key.shape[-1])
    weight = np.exp(scores - scores.max())
    return np.asarray(np.einsum("jx,jxf->f", weight, key) / weight.sum())


def _with_sink(
    keys: KeyErrors, tables: Tables, head: int, at: int, own: int, errors: HeadErrors, table: HeadTable, u: float
) -> KeyErrors:
    """The constant keys and the sink, which is exact itself, but scored with a query that is not."""
    sink = tables.heads[head].sink
    if sink is None:
        return keys
    key, value = np.asarray(sink.key, np.float64), np.asarray(sink.value, np.float64)
    q, noise, size = errors.query.value[at, own], errors.query.noise[at, own], errors.query.size[at, own]
    common = _common_key(tables, head, at, own, errors.key.value)
    e = np.abs(noise @ (key - common)).sum() + gamma(len(q) + 4, u) * np.abs(key) @ (np.abs(q) + size)
    e = abs(tables.heads[head].scale) * e * (1 + 1e-6)
    score = np.array([tables.sink_score(head, at, own)])
    one = _keys(
        score, np.array([e]), table.shift, NoisyVectors(value[None], np.zeros((1, keys.noise.shape[-2], len(value)))), u
    )
    both = [np.concatenate(pair) for pair in zip(_fields(keys), _fields(one), strict=True)]
    return KeyErrors(*both)


def _fields(keys: KeyErrors) -> tuple[Array, Array, Array, Array]:
    return keys.score, keys.rho, keys.value, keys.noise


def output_error(errors: QueryErrors) -> Array:
    """A coarse bound (m,) on the error of the heads' outputs for any word: all keys at their worst."""
    parts = []
    for letters, constants in zip(errors.letters, errors.constants, strict=True):
        rho = max(letters.rho.max(initial=0.0), constants.rho.max(initial=0.0))
        values, noise = [], []
        for keys in (letters, constants):
            size = np.abs(keys.value).reshape(-1, keys.value.shape[-1])
            values.append(size.max(axis=0, initial=0.0))
            noise.append(keys.size.reshape(-1, keys.value.shape[-1]).max(axis=0, initial=0.0))
        value, wrong = np.maximum(*values), np.maximum(*noise)
        share = 1 / (1 - rho) if rho < 1 else np.inf
        parts.append((2 * rho * value + wrong) * share + 2 * gamma(errors.keys + 4, errors.u) * (value + wrong) * share)
    return np.concatenate(parts) if parts else np.zeros(0)


def output_stray(result: ClassBounds, which: Array, errors: QueryErrors) -> Array:
    """How far (K,) rounding inside the attention moves what the heads add to the stream, in norm.

    By the lemma with norms: at most sum_j p_j T_j, where T_j collects rho_j |(v_j - y) O| / (1 - rho) for the output
    map O of the head, and the errors of values and sums with the norm of O. Keys that weigh little count for little.
    """
    ranges, count = result.ranges, len(which)
    classes, of = replace(ranges.classes.select(which), slices=None), np.arange(count)
    total, start = np.zeros(count), 0
    for k, table in enumerate(ranges.query.heads):
        part = slice(start, start + table.value.shape[2])
        output, middle = ranges.query.output[part], ranges.middle[which][:, part]
        norm = float(np.linalg.norm(output, 2)) * (1 + 1e-9)
        moved = np.linalg.norm(ranges.basis.directions[:, part] @ output, axis=1)
        extent = ranges.radius[which] @ moved + norm * ranges.basis.rest
        rows = _MappedRows(output, norm, middle @ output, extent)
        losses, fixed = (_stray_losses(keys[k], errors, rows) for keys in (errors.letters, errors.constants))
        total = total + _greatest_mean(table, errors.constants[k], (losses, fixed), classes, of)
        start = part.stop
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _MappedRows:
    """Classes, one a row: what a head's output map, with its norm, makes of middles (K, d) and extents (K,) of y."""

    output: Array
    norm: float
    middle: Array
    extent: Array


def _stray_losses(keys: KeyErrors, errors: QueryErrors, rows: _MappedRows) -> Array:
    """The numbers T_j (keys ..., K) of `output_stray`."""
    share = _share(errors)
    mapped = (keys.value @ rows.output)[..., None, :]
    away = np.sqrt(((mapped - rows.middle) ** 2).sum(axis=-1)) + rows.extent
    size = keys.size
    wrong = rows.norm * np.sqrt((size**2).sum(axis=-1))[..., None]
    sums = rows.norm * np.sqrt(((np.abs(keys.value) + size) ** 2).sum(axis=-1))[..., None]
    sums = sums + np.sqrt((rows.middle**2).sum(axis=1)) + rows.extent
    return np.asarray(share * (keys.rho[..., None] * away + wrong + gamma(errors.keys + 4, errors.u) * sums))


def _share(errors: QueryErrors) -> float:
    """At least (1 + rho) / (1 - rho) for every key; infinite if that is more than 3."""
    rho = max(float(keys.rho.max(initial=0.0)) for keys in (*errors.letters, *errors.constants))
    return (1 + rho) / (1 - rho) if rho < 0.5 else np.inf


def _greatest_mean(
    table: HeadTable, constants: KeyErrors, losses: tuple[Array, Array], classes: WordClasses, of: Array
) -> Array:
    """At least the mean (rows,), over the keys of any word, of losses of its letters and of the constant keys."""
    each, fixed_each = losses
    share = np.exp(constants.score - constants.score.max(initial=-1e300))
    fixed = share @ fixed_each / max(float(share.sum()), 1.0)
    top = np.abs(each).max(axis=(0, 1), initial=0.0) + np.abs(fixed)
    limited = np.isfinite(top)  # the oracle is asked about numbers alone
    each, fixed = np.where(limited, each, 0.0), np.where(limited, fixed, 0.0)
    most = support_of(table, each, fixed, classes, of, 0.05 * np.where(limited, top, 0.0))
    return np.asarray(np.where(limited, np.where(np.isneginf(most), 0.0, most), np.inf))


def attention_error(
    result: ClassBounds, which: Array, center: Array, radius: Array, norm: Array, errors: QueryErrors
) -> Array:
    """What rounding inside the attention changes in margins (K, R), for gradients with respect to the heads' outputs
    that are within `radius`, and within `norm` (K, R) together, of `center` (K, R, m)."""
    ranges, (count, many, _) = result.ranges, center.shape
    of = np.repeat(np.arange(count), many)
    classes = replace(ranges.classes.select(which), slices=None)
    spread, middle = ranges.spread()[which][of], ranges.middle[which][of]
    total, start = np.zeros(count * many), 0
    for k, table in enumerate(ranges.query.heads):
        part = slice(start, start + table.value.shape[2])
        g, r = (x[..., part].reshape(len(of), table.value.shape[2]) for x in (center, radius))
        moved = np.abs(g @ ranges.basis.directions[:, part].T)
        moved = np.einsum("rb,rb->r", moved, ranges.radius[which][of])
        moved = moved + ranges.basis.rest * np.sqrt((g**2).sum(axis=1))
        rows = _GradientRows(g, r, norm.reshape(-1), middle[:, part], spread[:, part], moved)
        losses, fixed = (_losses(keys[k], errors, rows) for keys in (errors.letters, errors.constants))
        total = total + _greatest_mean(table, errors.constants[k], (losses, fixed), classes, of)
        start = part.stop
    return total.reshape(count, many)


@dataclass(frozen=True, slots=True, eq=False)
class _GradientRows:
    """Margins, one a row: gradients, their radii (rows, v) and norms; middle and radii of y, and of gradient . y."""

    gradient: Array
    radius: Array
    norm: Array
    middle: Array
    spread: Array
    moved: Array


def _losses(keys: KeyErrors, errors: QueryErrors, rows: _GradientRows) -> Array:
    """The numbers T_j (keys ..., rows) of the lemma."""
    g, r, u = rows.gradient, rows.radius, errors.u
    share = _share(errors)
    away_from = _against(rows, np.abs(keys.value))
    reach = np.abs(rows.middle) + rows.spread
    y_away = np.fmin(np.einsum("rv,rv->r", reach, r), rows.norm * np.sqrt((reach**2).sum(axis=1)))
    at_middle = np.einsum("rv,rv->r", rows.middle, g)
    away = np.abs(keys.value @ g.T - at_middle) + rows.moved + away_from + y_away
    size = keys.size
    value = np.abs(keys.noise @ g.T).sum(axis=-2) + _against(rows, size)
    summed = (np.abs(keys.value) + 2 * size) @ np.abs(g).T + away_from + 2 * _against(rows, size)
    sums = _numerator_error(errors, summed, np.einsum("rv,rv->r", reach, np.abs(g)) + y_away)
    # The denominator's sum is wrong by one factor, which all coordinates share.
    sums = sums + gamma(errors.keys + 4, u) * (np.abs(at_middle) + rows.moved + y_away)
    return np.asarray(share * (keys.rho[..., None] * away + value + sums))


def _numerator_error(errors: QueryErrors, size: Array, value: Array) -> Array:
    """What rounding changes in sums of keys' weights times values, whose sizes (keys ..., rows) have a mean.

    `sum_error` per weight: with a quotient for each key or each sum, and a sum of at most `value` (rows,), but for what
    errors of the weights change of it.
    """
    most = gamma(errors.keys, errors.u)
    rho = max(float(keys.rho.max(initial=0.0)) for keys in (*errors.letters, *errors.constants))
    return np.asarray((5 * errors.u + most * (0.5 + 3 * rho + most)) * size + most / 2 * value)


def _against(rows: _GradientRows, size: Array) -> Array:
    """What the gradients' distance from their centres makes of numbers of some sizes (keys ..., v)."""
    norms = np.sqrt((size**2).sum(axis=-1))
    return np.asarray(np.fmin(size @ rows.radius.T, norms[..., None] * rows.norm))
