"""The induction over epochs: which inputs of each player are kept, so that all transcripts look alike.

Statement (Lemma 4.4, as notes reproduce it): for every protocol of L epochs with few bits there are Z_(-1) ... Z_(L-1)
and R_(>=L) such that for each input from the Z's all messages of player L are the same for all members of R, while R is
large and the inputs from the Z's reach many values of i_(L-1). Then two members differ where some of these ask (Lemma
4.3), and the protocol is wrong.
Idea: at level l the inputs R_(>=l) of players l ... L are those whose messages to players below l in epochs 1 ... l are
frozen. Take inputs z_l of player l one at a time; of the inputs of players above l that R has beside it, keep the
largest group with equal Phi and Psi. These are R_(>=l+1).
Scope: a toy. All tables of a player are tried, or a random sample of them. At the sizes of the proof this cannot be
run. That the sets stay large enough is observed in a run, and not guaranteed. The paper's own text was not at hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.limits.induction.transcript import Exchange, FrozenMessage, TranscriptName, digest_of
from capax.limits.witnesses.search.decomposition import classes, largest
from capax.model.parts import Array

MOST_PROMPTS: Final = 100_000
"""A step that would run more prompts than these is refused."""
CANDIDATES: Final = 8
"""So many inputs z_l are compared before one of them is taken."""


@dataclass(frozen=True)
class InductionLevel:
    """The sets at level l: Z_(-1) ... Z_(l-1) by their sizes, R_(>=l) beside all inputs that were tried, and Lambda.

    `reached` is how many values i_(l-1) has over the kept inputs, and `spent` the bits of the messages that were frozen
    in this step: by pigeonhole at least `before` / 2^`spent` inputs remain.
    """

    level: int
    kept: dict[int, int]
    rest: int
    before: int
    reached: int
    spent: int
    steps: tuple[str, ...]
    frozen: tuple[FrozenMessage, ...]

    def to_json(self) -> dict[str, Any]:
        """The sets as plain data."""
        return {
            "level": self.level,
            "kept": {f"Z_{player}": count for player, count in self.kept.items()},
            "rest": self.rest,
            "before": self.before,
            "reached": self.reached,
            "frozen_bits": self.spent,
            "steps": list(self.steps),
            "transcript": [message.to_json() for message in self.frozen],
        }


@dataclass(frozen=True)
class Induction:
    """All levels, in how many contexts members of R_(>=L) looked alike to the whole model, and two prompts it errs on.

    `tables` has for each player how many of its tables were tried, and how many there are. `checked` is 0 where the
    walk ended before level L. `truths` are the right answers to the two prompts, `answer` the model's to both.
    """

    levels: tuple[InductionLevel, ...]
    tables: dict[int, tuple[int, int]]
    checked: int = 0
    pair: tuple[list[int], list[int]] | None = None
    truths: tuple[int, int] | None = None
    answer: Any = None

    def to_json(self) -> dict[str, Any]:
        """The run as plain data."""
        tables = {f"z_{player}": {"tried": tried, "all": of} for player, (tried, of) in self.tables.items()}
        return {
            "levels": [level.to_json() for level in self.levels],
            "tables": tables,
            "contexts_checked": self.checked,
            "pair": None if self.pair is None else list(self.pair),
            "truths": None if self.truths is None else list(self.truths),
            "answer": self.answer,
        }


class Walk:
    """The sets as they are built: `z` has for each player the inputs that are kept, as rows of tokens."""

    __slots__ = ("exchange", "keep", "rest", "tables", "z")

    def __init__(self, exchange: Exchange, tables: dict[int, Array], starts: int, keep: int) -> None:
        layout = exchange.layout
        self.exchange = exchange
        self.tables = tables
        self.keep = keep
        asked = list(product(*map(range, layout.ranges()[layout.start + 1 :])))
        self.z: dict[int, Array] = {-1: np.array(asked), 0: np.arange(min(starts, layout.m))[:, None]}
        self.rest = np.zeros((0, 0), np.int64)

    def contexts(self, level: int) -> Array:
        """All inputs of the players below a level that are kept: rows of the tokens of z_(level-1) ... z_0, w."""
        parts = [self.z[player] for player in range(level - 1, -2, -1)]
        rows = [np.concatenate(one) for one in product(*parts)]
        return np.array(rows)

    def words(self, level: int, rest: Array, contexts: Array) -> Array:
        """The prompts (rest x contexts) of inputs of players >= level, numbers of tables, before contexts."""
        players = range(level + rest.shape[1] - 1, level - 1, -1)
        upper = np.concatenate([self.tables[p][rest[:, p - level]] for p in players], axis=1)
        if len(upper) * len(contexts) > MOST_PROMPTS:
            what = f"a step would run {len(upper) * len(contexts):,} prompts, more than {MOST_PROMPTS:,}"
            raise CapaxError("too-large", what, hint="give fewer --tables, or a smaller layout")
        left = np.repeat(upper, len(contexts), axis=0)
        return np.concatenate([left, np.tile(contexts, (len(upper), 1))], axis=1)


def first_level(walk: Walk) -> tuple[int, int]:
    """R_(>=1): the inputs of players 1 ... L whose messages of epoch 1 to players 0 and -1 are the most common ones.

    In epoch 1 a message depends on the sender's and the receiver's tokens alone, so each player has a group of its own.
    The result is how many inputs there were, and how many bits were frozen.
    """
    contexts, steps = walk.contexts(1), walk.exchange.layout.steps
    groups, spent = [], 0
    for player in range(1, steps + 1):
        others = {p: np.zeros(len(walk.tables[player]), np.int64) for p in range(1, steps + 1)}
        others[player] = np.arange(len(walk.tables[player]))
        rest = np.stack([others[p] for p in range(1, steps + 1)], axis=1)
        wanted = [(1, player, receiver) for receiver in (0, -1)]
        heard = walk.exchange.messages(walk.words(1, rest, contexts), wanted)
        rows = np.concatenate([heard[key].reshape(len(rest), -1) for key in wanted], axis=1)
        groups.append(largest(classes(rows)))
        spent += walk.exchange.bits(1, player, 0) * len(walk.z[0])
        spent += walk.exchange.bits(1, player, -1) * len(walk.z[-1])
    walk.rest = np.array(list(product(*groups)), np.int64)
    return int(np.prod([len(walk.tables[p]) for p in range(1, steps + 1)])), spent


def candidate_keys(level: int, steps: int) -> dict[TranscriptName, list[tuple[int, int, int]]]:
    """The messages of Phi and Psi for player `level`, as (epoch, from, to)."""
    above = range(level + 1, steps + 1)
    return {
        "Phi": [(epoch, j, level) for epoch in range(1, level + 2) for j in above],
        "Psi": [(level + 1, j, i) for i in range(level - 1, -2, -1) for j in above],
    }


def alike(walk: Walk, level: int, table: int, rest: Array) -> Array:
    """Of inputs of players above `level`, the positions of the largest group with equal Phi and Psi for a table z_l."""
    contexts = walk.contexts(level)
    own = np.broadcast_to(walk.tables[level][table], (len(contexts), walk.tables[level].shape[1]))
    words = walk.words(level + 1, rest, np.concatenate([own, contexts], axis=1))
    keys = candidate_keys(level, walk.exchange.layout.steps)
    heard = walk.exchange.messages(words, [*keys["Phi"], *keys["Psi"]])
    rows = np.concatenate([one.reshape(len(rest), -1) for one in heard.values()], axis=1)
    return largest(classes(rows))


def next_level(walk: Walk, level: int) -> tuple[tuple[str, ...], int, int] | None:
    """Takes inputs z_l one at a time, and leaves R_(>=l+1) in the walk; what was done, the inputs before, the bits.

    None where no z_l leaves two inputs of the players above it alike.
    """
    fibres: dict[int, set[tuple[int, ...]]] = {}
    for row in walk.rest.tolist():
        fibres.setdefault(row[0], set()).add(tuple(row[1:]))
    order = sorted(fibres, key=lambda table: (-len(fibres[table]), table))
    current = set().union(*fibres.values())
    before, steps = len(current), []
    taken: list[int] = []
    while len(taken) < walk.keep:
        best: tuple[int, list[tuple[int, ...]]] | None = None
        for table in [t for t in order if t not in taken][:CANDIDATES]:
            rest = sorted(current & fibres[table])
            if len(rest) < 2:
                continue
            group = alike(walk, level, table, np.array(rest, np.int64))
            members = [rest[k] for k in group.tolist()]
            if len(members) >= 2 and (best is None or len(members) > len(best[1])):
                best = table, members
        if best is None:
            break
        taken.append(best[0])
        current = set(best[1])
        steps.append(f"z_{level} = {_text(walk.tables[level][best[0]])} taken: {len(current):,} inputs above it alike")
    if not taken:
        return None
    walk.z[level] = walk.tables[level][taken]
    walk.rest = np.array(sorted(current), np.int64)
    return tuple(steps), before, _frozen_bits(walk, level)


def _frozen_bits(walk: Walk, level: int) -> int:
    """The bits of Phi for each kept z_l, and of Psi for each of them with every kept input of the players below."""
    keys = candidate_keys(level, walk.exchange.layout.steps)
    bits = len(walk.z[level]) * sum(walk.exchange.bits(*key) for key in keys["Phi"])
    for epoch, sender, receiver in keys["Psi"]:
        inputs = int(np.prod([len(walk.z[p]) for p in range(receiver, level + 1)]))
        bits += inputs * walk.exchange.bits(epoch, sender, receiver)
    return bits


def frozen(walk: Walk, level: int, most: int) -> tuple[FrozenMessage, ...]:
    """Lambda at a level for the first contexts, said by one member of R_(>=level); all others say the same."""
    steps = walk.exchange.layout.steps
    if level > 1:
        fresh = {key: name for name, keys in candidate_keys(level - 1, steps).items() for key in keys}
    else:
        fresh = {}
    contexts = walk.contexts(level)[:most]
    words = walk.words(level, walk.rest[:1], contexts)
    wanted = [(e, j, i) for e in range(1, level + 1) for j in range(level, steps + 1) for i in range(level - 1, -2, -1)]
    heard = walk.exchange.messages(words, wanted)
    seen: dict[tuple[Any, ...], FrozenMessage] = {}
    for row, word in enumerate(words.tolist()):
        for key in wanted:
            given = _given(walk, word, key[2], level)
            message = FrozenMessage(
                fresh.get(key, "Lambda"), *key, given, walk.exchange.bits(*key), digest_of(heard[key][row])
            )
            seen.setdefault((*key, given), message)
    return tuple(seen.values())


def _given(walk: Walk, word: Sequence[int], receiver: int, level: int) -> str:
    """The inputs of the players from the receiver up to below a level, in words."""
    at = walk.exchange.positions
    names = {-1: "w", 0: "i_0"}
    players = range(level - 1, receiver - 1, -1)
    return ", ".join(f"{names.get(p, f'z_{p}')} = {_text([word[k] for k in at[p].tolist()])}" for p in players)


def _text(numbers: Sequence[int] | Array) -> str:
    return ",".join(str(int(number)) for number in numbers)
