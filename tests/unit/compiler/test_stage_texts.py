"""The stages of a compilation: each holds what the next one relies on, and has a text."""

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import capax
from capax.compiler.domain import domain
from capax.compiler.retries import build
from capax.compiler.stage_texts import NAMES
from capax.errors import CapaxError
from capax.rasp.ir.nodes import SOpNode
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
    assert "score  [2 `(length - indices) - 1`] * [indices]" in texts["heads"]
    assert "slot 1: indices" in texts["layout"]
    assert texts["certificate"].startswith("certified in float32 up to length 5\n")
