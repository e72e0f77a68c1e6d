"""The stages of a compilation: each holds what the next one relies on, and has a text."""

import json
from collections import Counter

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import capax
from capax.compiler.compile_program import build
from capax.compiler.compiled import Passes
from capax.compiler.domain import domain
from capax.compiler.looped.build_loop import build_loop
from capax.compiler.node_meanings.node_names import LONGEST, MOST, node_names
from capax.compiler.stages.network_stages import HeadsStage, LayoutStage, MlpsStage, ScheduleStage
from capax.compiler.stages.program_stages import AnalysisStage
from capax.compiler.stages.stage_listing import NAMES
from capax.compiler.stages.stage_parts import parts_of
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.text.graph_to_syntax import statement_names
from tests.house.tree import ROOT
from tests.support.looped_programs import looped_programs
from tests.support.programs import as_sop, graphs
from tests.support.stage_checks import check_stages, plain_heads

LIBRARY = {
    "reverse": "abc",
    "hist_bos": "§ab",
    "hist2_nobos": "ab",
    "sort_bos": "§ba",
    "induction": "abc",
    "dyck1_ptf": "()",
    "dyck2_ptf": "(){}",
    "shuffle_dyck2": "(){}",
    "first_occurrence": "ab",
}

THE_AS = capax.selector_width(capax.select(capax.tokens, "a", "=="))
FLIP = capax.aggregate(capax.select(capax.indices, THE_AS - 1 - capax.indices, "=="), capax.tokens, "b")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", LIBRARY)
def test_stages_of_library_programs_hold(name: str, causal: bool) -> None:
    program = getattr(capax.library, name)
    passes = build(program.node, domain(LIBRARY[name], 4, causal=causal), program.names())
    assert check_stages(passes, 3) == len(plain_heads(passes))


@settings(max_examples=60)
@given(graphs().map(as_sop), st.sampled_from([(0, 1), ("a", "b", "c")]), st.integers(1, 4), st.booleans())
def test_stages_of_random_programs_hold(
    root: SOpNode, alphabet: tuple[int | str, ...], longest: int, keep_all: bool
) -> None:
    try:
        passes = build(root, domain(alphabet, longest, keep_all=keep_all, mlp_depth=2), {})
    except CapaxError:
        reject()
    assert check_stages(passes, min(longest, 2)) == len(plain_heads(passes))


@pytest.mark.parametrize("name", ["reverse", "dyck2_ptf", "sort_bos"])
def test_every_stage_has_a_text(name: str) -> None:
    compiled = capax.compile(getattr(capax.library, name), alphabet=LIBRARY[name], max_length=4, words=20)
    assert tuple(stage.name for stage in compiled.stages) == NAMES
    assert all(stage.text.strip() for stage in compiled.stages)
    assert compiled.stages is compiled.stages


def test_stages_of_reverse_tell_its_way() -> None:
    compiled = capax.compile(capax.library.reverse, alphabet="abc", max_length=5, words=20)
    texts = {stage.name: stage.text for stage in compiled.stages}
    assert "_flip = select(indices, (length - indices) - 1, ==): selects one key" in texts["analysis"]
    assert texts["schedule"].startswith("2 attention layers\nlayer 1\n  length = selector_width(full_s)\n")
    assert "score  [2 length - 2 indices - 2] * [indices]" in texts["heads"]
    assert "{}" not in "".join(texts.values())
    assert "slot 1: indices" in texts["layout"]
    assert texts["certificate"].startswith("certified in float32 up to length 5\n")


def test_layers_have_one_numbering() -> None:
    """With MLPs of one hidden layer, the second attention layer is the fourth layer: in every stage and the proof."""
    compiled = capax.compile(FLIP, alphabet="ab", max_length=3, mlp_depth=1, words=20)
    stages = {stage.name: stage.to_json() for stage in compiled.stages}
    assert compiled.model.size.heads == (1, 0, 0, 1)
    assert [layer["layer"] for layer in stages["schedule"]["layers"]] == [1, 4]
    assert [(head["layer"], head["head"]) for head in stages["heads"]["heads"]] == [(1, 1), (4, 1)]
    assert stages["mlps"]["mlps"][0]["layers"] == [1, 2, 3]
    assert [s["layer"] for s in stages["layout"]["sublayers"]] == [1, 1, 2, 3, 4]
    figures = stages["certificate"]["certificate"]["verdicts"][0]["heads"]
    assert [head["where"] for head in figures] == ["layer 1, head 1", "layer 4, head 1"]


def test_stages_as_json_have_the_weights_story() -> None:
    compiled = capax.compile(capax.library.reverse, alphabet="ab", max_length=3, words=20)
    stages = {stage.name: stage.to_json() for stage in compiled.stages}
    json.dumps(stages, allow_nan=False)
    values = {node["name"]: node for node in stages["analysis"]["nodes"]}
    assert values["length"]["values"] == {"count": 3, "first": [1, 2, 3]}
    assert values["_flip"] == {
        "name": "_flip",
        "definition": "select(indices, (length - indices) - 1, ==)",
        "kind": "selector",
        "at_most_one_key": True,
        "at_least_one_key": True,
    }
    first = stages["heads"]["heads"][1]["score"][0]
    assert first["query"] == {"terms": {"length": 2.0, "indices": -2.0}, "constant": -2.0}
    assert [len(slot) for slot in stages["layout"]["slots"]] == [1] * stages["layout"]["width"]
    assert stages["model"]["size"] == compiled.size.to_json()


@settings(max_examples=60)
@given(graphs().map(as_sop))
def test_names_are_unique_and_short(root: SOpNode) -> None:
    """Whatever the program: no two nodes have the same name, and none is cut."""
    order = topological(root)
    titles = dict.fromkeys(order[::3], "same")
    names = node_names(order, titles, statement_names(root, titles))
    texts = [names.get(node) or describe(node, names, MOST) for node in order]
    assert len(set(texts)) == len(texts)
    assert all(len(text) <= LONGEST for text in texts)


def test_the_reference_page_names_every_field() -> None:
    page = (ROOT / "docs" / "reference" / "stages.md").read_text(encoding="utf-8")
    sort = capax.compile(capax.library.sort_bos, alphabet="§a", max_length=3, words=20)
    loop = capax.compile(capax.library.rule_110, alphabet="01", max_length=3, words=20, certify=False)
    for stage in [*sort.stages, *loop.stages[1:8]]:
        row = page[page.index(f"| `{stage.name}` |") :]
        fields = [key for key in stage.to_json() if key != "name"]
        assert [key for key in fields if f"`{key}`" not in row] == [], stage.name


LOOPS = {
    "rule_110": ("01", None),
    "odd_even_sort": ("abc", None),
    "hop4_in_rounds": ("ab", None),
    "add_by_lookahead": ("012", 1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_stages_of_a_loop_show_all_its_parts(name: str) -> None:
    alphabet, depth = LOOPS[name]
    program = getattr(capax.library, name)
    compiled = capax.compile(program, alphabet=alphabet, max_length=4, mlp_depth=depth, words=20, certify=False)
    check_parts(compiled.passes)
    for stage in compiled.stages[2:8]:
        titles = [line.split()[1] for line in stage.text.splitlines() if line.startswith("-- ")]
        assert titles == ["before", "the", "after"], stage.name
        assert isinstance(stage.value, tuple)
        assert len(stage.value) == 3


@settings(max_examples=25)
@given(looped_programs(), st.sampled_from([None, 1]))
def test_stages_of_random_loops_show_all_their_parts(program: capax.SOp, depth: int | None) -> None:
    try:
        passes = build_loop(program.node, domain("ab", 3, mlp_depth=depth), {})
    except CapaxError:
        reject()
    check_parts(passes)


def check_parts(passes: Passes) -> None:
    """Every head and every MLP of the model stands in the stages once, at its layer and in its part."""
    parts, model = parts_of(passes), passes.model
    loop = model.loop
    assert loop is not None
    stages = {type(stage): stage.to_json() for stage in (HeadsStage(parts), MlpsStage(parts), LayoutStage(parts))}
    json.dumps([*stages.values(), ScheduleStage(parts).to_json(), AnalysisStage(parts).to_json()], allow_nan=False)
    heads = Counter(head["layer"] for head in stages[HeadsStage]["heads"])
    assert [heads[layer] for layer, _ in enumerate(model.blocks, 1)] == [len(block.heads) for block in model.blocks]
    with_mlp = [layer for layer, block in enumerate(model.blocks, 1) if block.mlp]
    mlps = [layer for mlp in stages[MlpsStage]["mlps"] for layer in mlp["layers"]]
    assert mlps == [0] * (model.input_mlp is not None) + with_mlp
    assert len(stages[LayoutStage]["slots"]) == len(model.names)
    for item in stages[LayoutStage]["sublayers"]:
        part = "prelude" if item["layer"] <= loop.first else "body" if item["layer"] <= loop.end else "coda"
        assert item["part"] == part
