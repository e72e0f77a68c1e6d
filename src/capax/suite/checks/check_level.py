"""Checks of one level: answers on all words, every edge by interchange, files for other tools, features, notes."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from capax.compiler.node_meanings.variables import Variable
from capax.errors import CapaxError
from capax.model.interpretability.graph import Edge, head_of, read_edge
from capax.model.interpretability.interchange import ExchangePlan, evidence, groups_of, interchange, replay
from capax.model.interpretability.lens_model import LensModel, Patch, answer_codes, run
from capax.model.interpretability.structure import structural_edges
from capax.model.parts import Array
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.fast import evaluate_batch
from capax.suite.files import SuiteLevel
from capax.suite.levels.backup import STAGES, with_backup
from capax.suite.levels.build import backup_kinds, backup_origins
from capax.suite.levels.level_model import LevelModel, without_order, wrong_words
from capax.suite.programs.suite_program import CompiledCase
from capax.suite.truth.edge_files import edge_lists_json, graph_json, read_graph
from capax.suite.truth.features import FeatureDictionary, activations, identity_error
from capax.suite.truth.level_truth import LevelTruth, annotations_json, joint_witness, out_groups

IDENTITY: Final = 1e-4
"""How far the sum of features may be from the stream, relative to its largest number."""
SAME: Final = ExchangePlan(kinds=("same",))


def level_problems(
    level: SuiteLevel, case: CompiledCase, words: Sequence[Array], answers: Sequence[Array]
) -> Iterator[str]:
    """What is wrong with a level; `case` is its program, compiled anew, and `answers` are the program's."""
    lens, truth = level.lens, level.truth
    wrong, margin = wrong_words(lens, words, answers)
    if wrong:
        yield f"{wrong} words are answered wrongly"
    yield from _claim_problems(level, case, sum(map(len, words)), margin)
    yield from structure_problems(level, case)
    yield from edge_problems(level.level, lens, truth)
    yield from _kind_problems(level, case)
    yield from _joint_problems(level, words)
    yield from _file_problems(level)
    yield from _feature_problems(level, case)
    yield from _note_problems(level, case)


def structure_problems(level: SuiteLevel, case: CompiledCase) -> Iterator[str]:
    """Edges of the file that the weights of the plain model do not have, and the other way round."""
    truth = level.truth
    if level.level == "imitated":
        return
    edges = structural_edges(plain_of(level, case))
    expected = {edge.name if truth.order is None else truth.order.edge(edge).name for edge in edges}
    for name in sorted(expected - set(truth.names())):
        yield f"the edge {name} is in the circuit by the weights, and not in the file"
    for name in sorted(set(truth.names()) - expected):
        yield f"the edge {name} is in the file, and not in the circuit by the weights"


def plain_of(level: SuiteLevel, case: CompiledCase) -> LensModel:
    """The plain model whose heads the level has permuted."""
    return _with_copies(level, case)[0] if level.level in ("backup", "voting") else case.lens


def _with_copies(level: SuiteLevel, case: CompiledCase) -> tuple[LensModel, tuple[str, ...]]:
    """The plain model in which a head has copies, and these."""
    order, groups = level.truth.order, level.truth.joint
    if order is None or len(groups) != 1 or len(groups[0].nodes) not in STAGES:
        raise CapaxError("bad-suite", f"{level.folder}: a level of backups has one group of heads")
    heads = [order.old_name(node) for node in groups[0].nodes]
    return with_backup(case.lens, heads[0], len(heads))


def _claim_problems(level: SuiteLevel, case: CompiledCase, words: int, margin: float) -> Iterator[str]:
    """What check.json says of how right the model is, and is not so."""
    claims = level.checked
    if claims["wrong"] or (claims["exhausted"] and claims["words"] != words):
        yield "check.json has other words than those that are to be tried"
    if claims["exhausted"] and margin < 0.99 * float(claims["margin"]):
        yield f"the least margin is {margin:.3g}, and not {claims['margin']:.3g}"
    certified = case.compiled.certified_length == case.lens.max_length
    if (claims["certified"] or claims["plain_certified"]) and not certified:
        yield "check.json has a certificate that the program does not have"


def _kind_problems(level: SuiteLevel, case: CompiledCase) -> Iterator[str]:
    """Edges that are marked as those of heads that cancel, of decoys or of backups, and are not, or not marked."""
    truth, shape = level.truth, level.lens.shape
    expected: dict[str, str] = {}
    if level.level in ("backup", "voting") and truth.order is not None:
        lens, heads = _with_copies(level, case)
        kinds = backup_kinds(lens, heads, STAGES[len(heads)])
        expected = {truth.order.edge(read_edge(name)).name: kind for name, kind in kinds.items()}
    elif level.level in ("cancelling", "decoy") and truth.order is not None:
        known, order = case.lens.shape.heads, truth.order
        heads_beside = {
            node for node in shape.nodes() if (place := head_of(order.old_name(node))) and place[1] >= known
        }
        kind = {"cancelling": "cancels", "decoy": "decoy"}[level.level]
        edges = [edge for edge in shape.edges() if edge.source in heads_beside or edge.reader in heads_beside]
        expected = {edge.name: kind for edge in edges}
    for name in sorted(set(expected.items()) ^ set(truth.kinds.items()))[:3]:
        yield f"the edge {name[0]} is marked as what it is not, or is not marked"
    if level.level == "cancelling" and len(truth.joint) != shape.layers:
        yield "there is not one pair of heads that cancel in each layer"


def edge_problems(level: str, lens: LensModel, truth: LevelTruth) -> Iterator[str]:
    """Edges that interchanges refute: in without effect, out with one, or of the wrong kind."""
    inside = {edge.edge for edge in truth.edges}
    known = set(lens.shape.edges())
    for edge in truth.edges:
        name, witness = edge.edge.name, edge.witness
        if edge.edge not in known:
            yield f"the model has no edge {name}"
        elif witness is None:
            yield f"the edge {name} has no witness"
        else:
            now = replay(lens, [edge.edge, *edge.together], witness)
            if now.before == now.after or (now.before, now.after) != (witness.before, witness.after):
                yield f"the witness of {name} gives {list(now.after)}, not {list(witness.after)}"
            if (edge.same_length is not None) != witness.same_length:
                yield f"the witness of {name} is not of the length that it is to have"
    yield from _unseen(level, lens, truth, inside)


def _unseen(level: str, lens: LensModel, truth: LevelTruth, inside: set[Edge]) -> Iterator[str]:
    """Edges that matter and are not in the file, or matter for words of one length and are not marked."""
    only_other = [e.edge for e in truth.edges if e.same_length is None and e.edge in set(lens.shape.edges())]
    groups = out_groups(level, lens) if level == "imitated" else groups_of(lens, SAME)
    for edge, seen in evidence(lens, only_other, groups).items():
        if seen.same_length is not None and truth.kinds.get(edge.name) != "backup":
            yield f"the edge {edge.name} matters for words of one length, and is not marked"
    out = [e for e in lens.shape.edges() if e not in inside and truth.kinds.get(e.name) != "cancels"]
    effect = 0.0
    for edge, seen in evidence(lens, out, out_groups(level, lens)).items():
        effect = max(effect, seen.effect)
        if seen.witness is not None:
            yield f"the edge {edge.name} changes answers, and is not in the file"
    if truth.out_tried != len(out):
        yield f"{len(out)} edges are out, and not {truth.out_tried}"
    if effect > (0.0 if level == "plain" else 2 * truth.out_effect + 1e-6):
        yield f"edges that are out change a logit by {effect:.3g}, and not by {truth.out_effect:.3g}"


def _joint_problems(level: SuiteLevel, words: Sequence[Array]) -> Iterator[str]:
    """Groups of nodes that do not do together what the file says."""
    lens = level.lens
    for group in level.truth.joint:
        names = " and ".join(group.nodes)
        if not set(group.nodes) <= set(lens.shape.nodes()):
            yield f"the model has no nodes {names}"
        elif group.matter:
            assert group.witness is not None
            now = interchange(lens, group.witness.word, group.witness.donor, group.nodes)
            if (now.before, now.after) != (group.witness.before, group.witness.after) or now.before == now.after:
                yield f"exchanging {names} does not do what their witness says"
        elif joint_witness(lens, group.nodes, 1) is not None:
            yield f"exchanging {names} together changes an answer"
        if level.level in ("backup", "voting") and not _backs_up(lens, group.nodes, words):
            yield f"{names} do not stand in for each other"


def _backs_up(lens: LensModel, nodes: Sequence[str], words: Sequence[Array]) -> bool:
    """Whether each node can be ablated alone without a change of any answer, and all together cannot."""
    alone = all(not knocked_out(lens, [node], words) for node in nodes)
    return alone and bool(knocked_out(lens, nodes, words))


def knocked_out(lens: LensModel, nodes: Sequence[str], words: Sequence[Array]) -> int:
    """On how many words an answer changes when the outputs of nodes are zeros for all that read them."""
    changed = 0
    edges = [edge for edge in lens.shape.edges() if edge.source in nodes]
    for rows in words:
        base = run(lens, rows)
        nothing = np.zeros_like(base.outputs[nodes[0]])
        patches = [Patch(edge.source, edge.target, nothing) for edge in edges]
        without = run(lens, rows, patches, base)
        changed += int((answer_codes(lens, without.logits) != answer_codes(lens, base.logits)).any(1).sum())
    return changed


def _file_problems(level: SuiteLevel) -> Iterator[str]:
    """Files for other tools that do not say what the truth says."""
    lens, truth = level.lens, level.truth
    for name, same in (("edges.json", False), ("edges_same_length.json", True)):
        graph = read_graph(level.read(name).decode())
        if (graph.shape, graph.width) != (lens.shape, lens.width):
            yield f"{name} is of a model of another shape"
        elif graph.edges != set(truth.names(same_length=same, positions=False)):
            yield f"{name} has other edges than the truth"
        elif level.data(name) != graph_json(lens.shape, lens.width, truth.names(same_length=same, positions=False)):
            yield f"{name} has other nodes or scores than its edges"
    if level.data("edge_lists.json") != edge_lists_json([e.edge for e in truth.edges], lens.shape.layers):
        yield "edge_lists.json has other edges than the truth"


def _feature_problems(level: SuiteLevel, case: CompiledCase) -> Iterator[str]:
    """Features whose sum is not the stream, or whose names or values are not those of the variables."""
    features, said = level.features, level.checked["identity_error"]
    error = identity_error(features, level.lens)
    if (error is None) != (said is None) or (error is None and level.level != "imitated"):
        yield "the atoms of the features are not known"
    elif error is not None and error > max(IDENTITY, 1.01 * float(said)):
        yield f"the sum of features is {error:.2g} from the stream"
    known = {variable.name: variable for variable in case.variables}
    if not set(known) <= set(features.names):
        yield "a variable of the program is not among the features"
    nodes = {title: node for node, title in case.compiled.passes.titles.items() if isinstance(node, SOpNode)}
    for number, name in enumerate(features.names):
        values = [value for value, owner in zip(features.value, features.variable, strict=True) if owner == number]
        if len(set(values)) < len(values) or features.names.index(name) != number:
            yield f"the variable {name} is there twice, or one of its values is"
        if name in known and not _has_values(features, number, known[name], case.lens):
            yield f"the values of the variable {name} are not those of the program's model"
        if name in nodes and not _are_computed(features, number, nodes[name], case.lens):
            yield f"the values of the variable {name} are not those of the program"


def _are_computed(features: FeatureDictionary, number: int, node: SOpNode, lens: LensModel) -> bool:
    """Whether a variable has the values on the words of the file that the program computes, without any model."""
    there = features.tokens >= 0
    words = [
        tuple(lens.tokens[int(row)] for row in rows[own]) for rows, own in zip(features.tokens, there, strict=True)
    ]
    named = [
        [features.value[code] for code in rows[own, number]] for rows, own in zip(features.codes, there, strict=True)
    ]
    expected = evaluate_batch(node, words)
    return all(
        isinstance(row, CapaxError) or list(map(str, row)) == own for row, own in zip(expected, named, strict=True)
    )


def _has_values(features: FeatureDictionary, number: int, variable: Variable, lens: LensModel) -> bool:
    """Whether the codes of a variable, on the words of the file, stand for the values that the program's model has."""
    there = features.tokens >= 0
    own = activations(lens, features.tokens)[there][:, list(variable.directions)]
    _, first, which = np.unique(own, axis=0, return_index=True, return_inverse=True)
    expected = np.array([str(variable.value(own[row])) for row in first])[which.reshape(-1)]
    codes = features.codes[there][:, number]
    if codes.min(initial=0) < 0 or set(features.variable[codes].tolist()) - {number}:
        return False
    named = np.array(features.value)[codes]
    return bool((named == expected).all())


def _note_problems(level: SuiteLevel, case: CompiledCase) -> Iterator[str]:
    """Notes on components that are not what the program says of them, and a task that is another."""
    expected, own = annotations_json(case, level_model(level, case)), level.data("annotations.json")
    for one, two in zip(expected["components"], own["components"], strict=False):
        if one != two:
            yield f"the note on {one['id']} is not what the program says of it"
    if len(expected["components"]) != len(own["components"]):
        yield "components without a note"
    if any(own.get(name) != expected[name] for name in ("id", "level", "task")):
        yield "the task in annotations.json is not the program's, or has other answers"


def level_model(level: SuiteLevel, case: CompiledCase) -> LevelModel:
    """The level as it was when its notes were written; nothing but its notes is read from it."""
    truth, lens = level.truth, level.lens
    origins = without_order(lens)
    groups = tuple(group.nodes for group in truth.joint)
    if truth.order is not None:
        origins = {node: truth.order.old_name(node) for node in origins}
        if level.level in ("backup", "voting"):
            origins = backup_origins(case.lens, *_with_copies(level, case), truth.order)
    none = np.zeros(lens.width, np.float32)
    basis = np.eye(lens.width, dtype=np.float32)
    return LevelModel(level.level, lens, lens, basis, none, truth.edges, origins, truth.kinds, groups, truth.order)
