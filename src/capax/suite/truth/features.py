"""The dictionary of a model: every value of every variable is a feature, and the stream is exactly their sum.

At the last hook of the stream, x = constant + the sum over variables of the atom of the value that each has. Variables
are groups of directions that split all positions of all words alike.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.compiler.circuit.variables import Variable
from capax.model.circuit.lens_model import LensModel, run, with_prefix, words_of_length
from capax.model.parts import Array
from capax.suite.levels.level_model import LevelModel

DIGITS: Final = 3
SAMPLE: Final = 300
"""How many words have their codes in the file."""
SHOWN: Final = 16
"""How many words have their activations there too; the model gives the others."""
DICTIONARY_WORDS: Final = 1_500
"""How many words of each length the dictionary is read from."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureDictionary:
    """Atoms (features, d) in the model's own basis, each a value of a variable; `codes` tell which words have which."""

    atoms: Array
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
        return FeatureDictionary(atoms, constant, variable, values, names, tokens, codes), file["activations"]


def dictionary(level: LevelModel, variables: Sequence[Variable], labels: Sequence[str], seed: int) -> FeatureDictionary:
    """The dictionary of a level, read from the stream of the plain model behind it; `labels` name its directions."""
    plain = level.plain
    stream = _last_streams(plain)
    rounded = np.round(stream.astype(np.float64), DIGITS)
    groups: dict[bytes, list[int]] = {}
    constant = stream[0].astype(np.float64)
    for column in range(plain.width):
        split = _split(rounded[:, column])
        if split.any():
            groups.setdefault(split.tobytes(), []).append(column)
            constant[column] = 0
    atoms, owner, values, names, keys = [], [], [], [], []
    for number, members in enumerate(groups.values()):
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
    )


def _value(known: Variable | None, members: Sequence[int], row: Array) -> str:
    """What an atom stands for, as text."""
    if known is None or not set(known.directions) <= set(range(len(row))):
        return f"{row[members[0]]:.6g}"
    return str(known.value(row[list(known.directions)]))


def _last_streams(plain: LensModel) -> Array:
    """The last stream at all positions of words of all lengths."""
    parts = []
    for length in range(plain.min_length, plain.max_length + 1):
        stream = run(plain, words_of_length(plain, length, DICTIONARY_WORDS)).streams[-1]
        parts.append(stream[:, plain.start :].reshape(-1, plain.width))
    return np.concatenate(parts)


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
        rows = words_of_length(plain, length, 1 << 14, seed + number)
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


def identity_error(features: FeatureDictionary, lens: LensModel) -> float:
    """How far the sum of atoms is from the stream, at most, relative to the largest number in the stream."""
    own = activations(lens, features.tokens)
    there = features.tokens >= 0
    size = max(1.0, float(np.abs(own[there]).max(initial=0)))
    return float(np.abs(features.rebuilt()[there] - own[there]).max(initial=0)) / size
