"""The dictionary of a model: every value of every variable is a feature, and the stream is exactly their sum.

At the last hook of the stream, x = constant + the sum over variables of the atom of the value that each has. Variables
are groups of directions that split all positions of all words alike. From its first hook on, the stream has the same
numbers in the directions of a variable as at the last hook. A trained model has the same variables and codes to be
probed for, and no atoms.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from capax.compiler.node_meanings.variables import Variable
from capax.model.interpretability.lens_model import LensModel, mixed_words, run, with_prefix
from capax.model.interpretability.lens_stream import DIGITS, distinct_states, stream_hooks, stream_points
from capax.model.parts import Array
from capax.suite.levels.level_model import LevelModel
from capax.suite.programs.suite_program import looked_at

SAMPLE: Final = 300
"""How many words have their codes in the file."""
SHOWN: Final = 16
"""How many words have their activations there too; the model gives the others."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureDictionary:
    """Atoms (features, d) in the model's own basis, each a value of a variable; `codes` tell which words have which."""

    atoms: Array
    """NaN in a model that nobody wrote."""
    constant: Array
    variable: Array
    """The number of the variable of each atom."""
    value: tuple[str, ...]
    names: tuple[str, ...]
    """The names of the variables, whole."""
    tokens: Array
    """Rows of the embedding (words, positions), -1 beyond the end."""
    codes: Array
    """The atom of each variable (words, positions, variables), -1 beyond the end."""
    first_hook: tuple[str, ...]
    """The hook of the stream from which on each variable is there."""
    direction: Array
    """The plain directions (plain directions, d), each as a row in the model's own basis."""
    owner: Array
    """The number of the variable of each plain direction; -1 for one that never varies."""

    @property
    def known(self) -> bool:
        """Whether the atoms are known."""
        return not bool(np.isnan(self.atoms).any())

    @property
    def ratio(self) -> float:
        """Features for each direction."""
        return float(len(self.atoms) / self.atoms.shape[1])

    def rebuilt(self) -> Array:
        """The stream at all positions of the words, as the sum of atoms."""
        return np.asarray(self.constant + self.atoms[np.maximum(self.codes, 0)].sum(2))

    def to_bytes(self, activations: Array) -> bytes:
        """The dictionary as an .npz file; with the activations of the first words."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            atoms=self.atoms.astype(np.float32),
            constant=self.constant.astype(np.float32),
            variable=self.variable.astype(np.int16),
            value=np.array(self.value),
            variable_name=np.array(self.names),
            first_hook=np.array(self.first_hook),
            direction=self.direction.astype(np.float32),
            direction_variable=self.owner.astype(np.int16),
            tokens=self.tokens.astype(np.int16),
            codes=self.codes.astype(np.int16),
            activations=activations.astype(np.float32),
        )
        return buffer.getvalue()


def read_features(data: bytes) -> tuple[FeatureDictionary, Array]:
    """The dictionary of an .npz file, and the activations in it."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        names = tuple(map(str, file["variable_name"]))
        values = tuple(map(str, file["value"]))
        atoms, constant, variable = (file[name] for name in ("atoms", "constant", "variable"))
        tokens, codes = (file[name].astype(np.int64) for name in ("tokens", "codes"))
        hooks, direction, owner = tuple(map(str, file["first_hook"])), file["direction"], file["direction_variable"]
        whole = FeatureDictionary(atoms, constant, variable, values, names, tokens, codes, hooks, direction, owner)
        return whole, file["activations"]


def without_atoms(features: FeatureDictionary, width: int) -> FeatureDictionary:
    """The variables and codes alone, for a model of a width that was trained: nobody knows its atoms or their hooks."""
    atoms, constant = np.full((len(features.atoms), width), np.nan), np.full(width, np.nan)
    hooks, none = ("",) * len(features.names), np.zeros((0, width))
    return replace(features, atoms=atoms, constant=constant, first_hook=hooks, direction=none, owner=np.zeros(0, int))


def dictionary(level: LevelModel, variables: Sequence[Variable], labels: Sequence[str], seed: int) -> FeatureDictionary:
    """The dictionary of a level, read from the stream of the plain model behind it; `labels` name its directions."""
    plain = level.plain
    stream, since = _last_streams(plain)
    rounded = np.round(stream.astype(np.float64), DIGITS)
    groups: dict[bytes, list[int]] = {}
    constant = stream[0].astype(np.float64)
    for column in range(plain.width):
        split = _split(rounded[:, column])
        if split.any():
            groups.setdefault(split.tobytes(), []).append(column)
            constant[column] = 0
    atoms, owner, values, names, keys = [], [], [], [], []
    hooks, of = stream_hooks(plain), np.full(plain.width, -1)
    first_hook = [hooks[max(since[column] for column in members)] for members in groups.values()]
    for number, members in enumerate(groups.values()):
        of[members] = number
        _, first = np.unique(rounded[:, members[0]], return_index=True)
        known = next((v for v in variables if members[0] in v.directions), None)
        names.append(known.name if known is not None else labels[members[0]])
        for row in np.sort(first):
            atom = np.zeros(plain.width)
            atom[members] = stream[row, members]
            atoms.append(atom)
            owner.append(number)
            values.append(_value(known, members, stream[row]))
        keys.append((members[0], {float(rounded[row, members[0]]): at for at, row in enumerate(np.sort(first))}))
    starts = np.searchsorted(np.array(owner), np.arange(len(names)))
    tokens, codes = _codes(plain, keys, starts, seed)
    basis = level.basis.astype(np.float64)
    return FeatureDictionary(
        np.array(atoms).reshape(-1, plain.width) @ basis,
        constant @ basis + level.constant,
        np.array(owner, np.int64),
        tuple(values),
        tuple(names),
        tokens,
        codes,
        tuple(first_hook),
        basis,
        of,
    )


def _value(known: Variable | None, members: Sequence[int], row: Array) -> str:
    """What an atom stands for, as text."""
    if known is None or not set(known.directions) <= set(range(len(row))):
        return f"{row[members[0]]:.6g}"
    return str(known.value(row[list(known.directions)]))


@lru_cache(maxsize=2)
def _last_streams(plain: LensModel) -> tuple[Array, Array]:
    """What rows the last stream has on words of all lengths; the first hook from which on each direction is so."""
    parts, since = [], np.zeros(plain.width, int)
    for length in range(plain.min_length, plain.max_length + 1):
        result = run(plain, mixed_words(plain, length, looked_at(plain)))
        stream = result.streams[-1][:, plain.start :]
        for number, point in enumerate(stream_points(plain, result.streams, result.outputs)[:-1]):
            differs = np.abs(point[:, plain.start :] - stream).max((0, 1)) > 10.0**-DIGITS
            since = np.where(differs, np.maximum(since, number + 1), since)
        rows = stream.reshape(-1, plain.width)
        parts.append(rows[distinct_states(rows)[0]])
    whole = np.concatenate(parts)
    return whole[distinct_states(whole)[0]], since


def _split(column: Array) -> Array:
    """For each row the number of its value, in the order in which values first come."""
    _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)])


def _codes(
    plain: LensModel, keys: Sequence[tuple[int, dict[float, int]]], starts: Array, seed: int
) -> tuple[Array, Array]:
    """The tokens of some words, and the atom that each variable has at their positions.

    A number that was not met when the dictionary was read gets the nearest value.
    """
    lengths = [n for n in range(plain.min_length, plain.max_length + 1) for _ in range(1 + 2 * (n == plain.max_length))]
    each, positions = SAMPLE // len(lengths), plain.max_length
    tokens = np.full((each * len(lengths), positions), -1, np.int64)
    codes = np.full((*tokens.shape, len(keys)), -1, np.int64)
    for number, length in enumerate(lengths):
        rows = mixed_words(plain, length, 1 << 14, seed + number)
        rows = rows[np.random.default_rng([seed, number]).integers(0, len(rows), each)]
        stream = run(plain, rows).streams[-1][:, plain.start :]
        part = slice(each * number, each * (number + 1))
        tokens[part, :length] = rows[:, plain.start :]
        for variable, (column, known) in enumerate(keys):
            order = np.array(sorted(known))
            at = np.abs(stream[..., column, None] - order).argmin(-1)
            codes[part, :length, variable] = starts[variable] + np.array([known[x] for x in order])[at]
    return tokens, codes


def activations(lens: LensModel, tokens: Array) -> Array:
    """The last stream of a model at the positions of words (words, positions, d), without the prefix; 0 beyond."""
    result = np.zeros((*tokens.shape, lens.width), np.float32)
    lengths = (tokens >= 0).sum(1)
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        rows = with_prefix(lens, tokens[chosen, :length])
        result[chosen, :length] = run(lens, rows).streams[-1][:, lens.start :]
    return result


def identity_error(features: FeatureDictionary, lens: LensModel) -> float | None:
    """How far the sum of atoms is from the stream, at most, relative to the largest number in the stream.

    None where the atoms are not known.
    """
    if not features.known:
        return None
    own = activations(lens, features.tokens)
    there = features.tokens >= 0
    size = max(1.0, float(np.abs(own[there]).max(initial=0)))
    return float(np.abs(features.rebuilt()[there] - own[there]).max(initial=0)) / size
