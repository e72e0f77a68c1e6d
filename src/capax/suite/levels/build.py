"""The levels of a case: each built from the plain model, then checked on all words, with the edges that matter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.export.hugging_face.answers import with_logits
from capax.model.interpretability.circuit import CircuitEdge, circuit_edges
from capax.model.interpretability.graph import Edge, head_of, mlp_name, read_edge
from capax.model.interpretability.interchange import (
    Donors,
    EdgeWitness,
    ExchangePlan,
    edge_effect,
    evidence,
    group_of,
    groups_of,
)
from capax.model.interpretability.lens_model import LensModel
from capax.model.parts import Array
from capax.suite.levels.backup import STAGES, backed_head, moved_node, with_backup
from capax.suite.levels.decoy_and_cancelling import with_cancelling, with_decoy
from capax.suite.levels.level_model import HeadOrder, LevelModel, Soundness, Turn, soundness, without_order
from capax.suite.levels.rotate import rotated
from capax.suite.levels.soften import SOFTER, smooth, softened, softest, with_layer_norms
from capax.suite.programs.suite_program import CompiledCase, program_answers

TRIES: Final = 4
"""How many models are tried before a level is given up."""
TURNS: Final[tuple[Turn, ...]] = ("whole", "whole", "blocks", "inside")
"""What each of them turns: the whole stream, blocks of directions of about one size, only what is inside heads.

All but the first have smaller scores, too: with large ones, turning blurs the scores of keys that must be equal.
"""


@dataclass(frozen=True, slots=True, eq=False)
class LevelInput:
    """What levels are made from: a case, all its words with their answers, a decoy for its words, and a seed."""

    case: CompiledCase
    words: tuple[Array, ...]
    answers: tuple[Array, ...]
    decoy: Callable[[], LensModel]
    seed: int


def level_input(case: CompiledCase, words: Sequence[Array], decoy: Callable[[], LensModel], seed: int) -> LevelInput:
    """The input of levels, with the answers of the program itself on all words."""
    return LevelInput(case, tuple(words), tuple(program_answers(case, case.lens, words)), decoy, seed)


def build_level(level: str, given: LevelInput) -> tuple[LevelModel, Soundness]:
    """The model of a level with its truth, and how right it is; an error where nothing that is tried is sound."""
    if level == "plain":
        lens = given.case.lens
        basis, none = np.eye(lens.width, dtype=np.float32), np.zeros(lens.width, np.float32)
        made = LevelModel(level, lens, lens, basis, none, given.case.edges, without_order(lens))
        sound = soundness(lens, given.words, given.answers)
        if not sound.sound:
            raise unsound(level, sound)
        return made, sound
    error = CapaxError("bad-suite", f"level {level}: nothing was tried")
    for attempt in range(TRIES):
        made = BUILDERS[level](given, attempt)
        sound = soundness(made.lens, given.words, given.answers)
        if not sound.sound:
            error = unsound(level, sound)
            continue
        made = replace(made, level=level, edges=confirmed(made.lens, made.edges, given.seed))
        hidden = [edge.edge.name for edge in made.edges if edge.witness is None]
        if not hidden:
            return made, sound
        error = CapaxError("bad-suite", f"level {level}: no word was found that shows the edge {hidden[0]}")
    raise error


def unsound(level: str, sound: Soundness) -> CapaxError:
    """The error for a level that was not right enough."""
    rounding = max(sound.rounding, sound.reordered)
    what = f"{sound.wrong} words are wrong, the margin is {sound.margin:.2g}, and rounding changes {rounding:.2g}"
    return CapaxError("bad-suite", f"level {level}: {what}")


def confirmed(lens: LensModel, edges: Iterable[CircuitEdge], seed: int) -> tuple[CircuitEdge, ...]:
    """Edges with witnesses as this model has them: the old ones replayed, and new ones sought where they fail."""
    groups: list[Donors] = []
    results = []
    for edge in edges:
        same, other = (_shown(lens, edge, witness) for witness in (edge.same_length, edge.any))
        # a witness that fails here may be replaced by another one
        lost = (edge.same_length is not None and same is None) or (edge.witness is not None and (same or other) is None)
        if lost:
            groups = groups or groups_of(lens, ExchangePlan(seed=seed))
            seen = evidence(lens, [edge.edge], groups, edge.together)[edge.edge]
            same, other = same or seen.same_length, other or seen.any
        results.append(CircuitEdge(edge.edge, same, other, edge.together))
    return tuple(results)


def _shown(lens: LensModel, edge: CircuitEdge, witness: EdgeWitness | None) -> EdgeWitness | None:
    """A witness as this model has it, if it still shows something."""
    if witness is None:
        return None
    return edge_effect(lens, edge.edge, group_of(lens, witness), edge.together).witness


def _turned(given: LevelInput, attempt: int, lens: LensModel, plain: LensModel | None = None) -> LevelModel:
    """A model, turned at random, with the edges of the case in their new order."""
    scores = SOFTER if attempt else 1.0
    turned, turn, order = rotated(softened(lens, scores), given.seed * 1_000 + attempt, TURNS[attempt])
    plain = plain or lens
    edges = tuple(replace(edge, edge=order.edge(edge.edge)) for edge in given.case.edges)
    origins = {order.new_name(node): node for node in (*lens.shape.nodes(), "logits")}
    basis, none = turn.astype(np.float32), np.zeros(lens.width, np.float32)
    how = TURNS[attempt]
    return LevelModel("", turned, plain, basis, none, edges, origins, order=order, turned=how, scores=scores)


def _rotated(given: LevelInput, attempt: int) -> LevelModel:
    return _turned(given, attempt, given.case.lens)


def _soft(given: LevelInput, attempt: int) -> LevelModel:
    factor = softest(given.case.lens, given.words, given.answers)
    scores = min(1.0, factor * 1.5**attempt)
    lens = softened(given.case.lens, scores / (SOFTER if attempt else 1.0))
    return replace(_turned(given, attempt, lens, given.case.lens), scores=scores)


STEEP: Final = (64.0, 256.0, 1024.0, 4096.0)
"""How steep the GELUs are."""
PINS: Final = (5, 6, 5, 14)
"""How far above the stream the pinned numbers stand, in powers of two: what is tried, in this order.

The last is that of exports, where the stream is not turned.
"""


def _gelu_norm(given: LevelInput, attempt: int) -> LevelModel:
    lens, basis, constant = with_layer_norms(with_logits(given.case.model), PINS[attempt])
    sharp = softened(lens, 1 / SOFTER) if attempt else lens  # its scores are small as it is
    made = _turned(given, attempt, smooth(sharp, STEEP[attempt]), given.case.lens)
    turn = made.basis
    wide, start = basis.astype(np.float32) @ turn, constant.astype(np.float32) @ turn
    return replace(made, basis=wide, constant=start, scores=SOFTER)


def _decoy(given: LevelInput, attempt: int) -> LevelModel:
    lens, nodes = with_decoy(given.case.lens, given.decoy(), given.seed)
    made = _turned(given, attempt, lens)
    return _marked(made, nodes, "decoy")


LOUD: Final = (1.0, 0.5, 0.2, 0.1)
"""The size of what heads write that cancel."""


def _cancelling(given: LevelInput, attempt: int) -> LevelModel:
    lens, pairs = with_cancelling(given.case.lens, given.seed + attempt, LOUD[attempt])
    made = _turned(given, attempt, lens, given.case.lens)
    new = {old: node for node, old in made.origins.items()}
    joint = tuple(tuple(new[node] for node in pair) for pair in pairs)
    return replace(_marked(made, [node for pair in pairs for node in pair], "cancels"), joint=joint)


def _backup(given: LevelInput, attempt: int, copies: int = 2) -> LevelModel:
    case = given.case
    head = backed_head(case.lens, case.edges, given.seed + attempt)
    lens, heads = with_backup(case.lens, head, copies)
    scores = SOFTER if attempt else 1.0
    turned, turn, order = rotated(softened(lens, scores), given.seed * 1_000 + attempt, TURNS[attempt])
    kinds = backup_kinds(lens, heads, STAGES[copies])
    edges = jointly_confirmed(lens, circuit_edges(lens, ExchangePlan(seed=given.seed)), heads, kinds, given.seed)
    none = np.zeros(lens.width, np.float32)
    return LevelModel(
        "",
        turned,
        lens,
        turn.astype(np.float32),
        none,
        tuple(_renamed(edge, order) for edge in edges),
        backup_origins(case.lens, lens, heads, order),
        {order.edge(read_edge(name)).name: kind for name, kind in kinds.items()},
        (tuple(order.new_name(node) for node in heads),),
        order,
        TURNS[attempt],
        scores,
    )


def _voting(given: LevelInput, attempt: int) -> LevelModel:
    return _backup(given, attempt, copies=3)


def _renamed(edge: CircuitEdge, order: HeadOrder) -> CircuitEdge:
    """An edge after the heads are permuted."""
    return replace(edge, edge=order.edge(edge.edge), together=tuple(order.edge(one) for one in edge.together))


def backup_kinds(lens: LensModel, heads: Sequence[str], stages: int) -> dict[str, str]:
    """The edges to and from copies of a head, and to and from the MLPs that join them, as `backup`."""
    place = head_of(heads[0])
    assert place is not None
    joining = {mlp_name(place[0] + stage) for stage in range(stages)}
    return {
        edge.name: "backup"
        for edge in lens.shape.edges()
        if edge.source in heads or edge.reader in heads or (edge.reader in joining and edge.source in joining)
    }


def jointly_confirmed(
    lens: LensModel, edges: Sequence[CircuitEdge], heads: Sequence[str], kinds: Mapping[str, str], seed: int
) -> tuple[CircuitEdge, ...]:
    """Edges of parts that stand in for each other, each with a witness in which others are exchanged together with it.

    That is the same edge of all copies of the head, or else all edges of such parts into the same reader.
    """
    groups = groups_of(lens, ExchangePlan(seed=seed))
    results = []
    for edge in edges:
        if kinds.get(edge.edge.name) != "backup" or edge.same_length is not None:
            results.append(edge)
            continue
        tries = _siblings(edge.edge, heads), [e.edge for e in edges if e.edge.target == edge.edge.target]
        for others in tries:
            together = tuple(one for one in others if one != edge.edge and kinds.get(one.name) == "backup")
            seen = evidence(lens, [edge.edge], groups, together)[edge.edge]
            if seen.same_length is not None or (edge.witness is None and seen.any is not None):
                edge = CircuitEdge(edge.edge, seen.same_length, seen.any, together)
                break
        results.append(edge)
    return tuple(results)


def _siblings(edge: Edge, heads: Sequence[str]) -> list[Edge]:
    """The same edge of all copies of a head."""
    if edge.source in heads:
        return [Edge(head, edge.target) for head in heads]
    if edge.reader in heads:
        return [Edge(edge.source, head + edge.target[len(edge.reader) :]) for head in heads]
    return []


def backup_origins(plain: LensModel, lens: LensModel, heads: Sequence[str], order: HeadOrder) -> dict[str, str]:
    """For each node of a model in which a head has copies, the node of the plain model that it was."""
    place = head_of(heads[0])
    assert place is not None
    stages = STAGES[len(heads)]
    old = {moved_node(node, place[0], stages): node for node in (*plain.shape.nodes(), "logits")}
    old |= dict.fromkeys(heads, heads[0])
    return {order.new_name(node): old.get(node, node) for node in (*lens.shape.nodes(), "logits")}


def _marked(made: LevelModel, nodes: Iterable[str], kind: str) -> LevelModel:
    """The level with a kind for the edges to and from nodes, which are named as in the model before its rotation."""
    own = {node for node, old in made.origins.items() if old in set(nodes)}
    kinds = {e.name: kind for e in made.lens.shape.edges() if e.source in own or e.reader in own}
    return replace(made, kinds=kinds)


BUILDERS: Final[Mapping[str, Callable[[LevelInput, int], LevelModel]]] = {
    "rotated": _rotated,
    "soft": _soft,
    "gelu-norm": _gelu_norm,
    "decoy": _decoy,
    "cancelling": _cancelling,
    "backup": _backup,
    "voting": _voting,
}
"""The levels that are made from the plain model of the same words."""
__all__ = ["BUILDERS", "HeadOrder", "LevelInput", "build_level", "confirmed", "level_input"]
