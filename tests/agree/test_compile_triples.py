"""Compiled selectors over triples: the model's answers, its certificate, its file and its exports."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax.certify.recheck.recheck import recheck
from capax.errors import CapaxError
from capax.model.io.file import from_bytes, to_bytes
from capax.model.parts import TensorHead
from capax.model.run.reference import define
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import rebuild
from capax.rasp.ir.nodes import Indices
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, TripleNode
from capax.rasp.meaning import reference
from capax.rasp.python.program import SOp
from capax.rasp.rewrite.prepare import make_causal
from tests.agree.test_triples import over_triples
from tests.support.outcomes import count_outcome, least_share

BEFORE, SAME = "select(indices, indices, <)", "select(tokens, tokens, ==)"
PROGRAMS = {
    "a test of a sum with a modulus": "has_focus(select3(tokens_int, tokens_int, tokens_int, sum % 3 == 0))",
    "a square": "selector_width(select3(indices, tokens_int, -indices, sum == 1))",
    "an order": "2 * selector_width(select3(tokens_int, tokens_int, indices, sum <= 2)) + indices",
    "a mean": "aggregate(select3(tokens_int, tokens_int, tokens_int, sum % 3 == 0), tokens_int, -1)",
    "ordinary selectors": f"selector_width(on_first({BEFORE}) and on_keys({SAME}))",
    "a mask of both keys": f"selector_width(on_first({BEFORE}) and on_second({BEFORE}))",
    "two masks": f"selector_width(on_first({BEFORE}) and on_second(select(indices, indices, <=)))",
    "a disjunction": f"selector_width(select3(indices, indices, -indices, sum == 0) or on_first({SAME}))",
    "one pair": """aggregate(on_first(select(indices, 0, ==)) and on_second(select(indices, 1, ==))
                   and on_keys(select(tokens, tokens, ==)), tokens, "none")""",
    "not of both keys": "2 * indicator(has_focus(not on_keys(select(indices, indices, ==)))) + indices",
    "not of one part": f"selector_width(select3(indices, indices, -indices, sum == 0) and not on_first({SAME}))",
    "not of a disjunction": f"selector_width(not (on_first({SAME} and {BEFORE}) or select3(indices, 0, 0, sum == 1)))",
    "not of best": "selector_width(not on_second(best(full_s, tokens_int)) and not not on_keys(not full_s or full_s))",
    "best": "selector_width(on_first(best(full_s, tokens_int)) and on_second(select(tokens, tokens, ==)))",
}
ALPHABET, LONGEST = "012", 3


def _same(got: Any, expected: Any) -> bool:
    pairs = list(zip(got, expected, strict=True))
    return all(a == b or (not isinstance(a, str) and abs(a - b) < 1e-5) for a, b in pairs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_word_and_a_certificate(name: str) -> None:
    """All words of up to three tokens, and a proof up to that length."""
    program = capax.Program.from_text(PROGRAMS[name] + ";")
    made = capax.compile(program, alphabet=ALPHABET, max_length=LONGEST, words=5)
    assert made.certified_length == LONGEST
    assert any(isinstance(head, TensorHead) for block in made.model.blocks for head in block.heads)
    words = [w for n in range(1, LONGEST + 1) for w in itertools.product(ALPHABET, repeat=n)]
    for word, answers in zip(words, made.model.batch(words), strict=True):
        assert _same(answers, program(word)), word


@least_share("compiled", 0.25)
@given(over_triples(), st.sampled_from(["width", "mean"]), st.sampled_from([{}, {"causal": True}, {"masks": False}]))
@settings(max_examples=60)
def test_random_selectors_compile_or_are_refused(triples: TripleNode, kind: str, options: dict[str, Any]) -> None:
    """With `not` at every level: right on every short word, or an error with a code, and no other exception."""
    node = PairWidth(triples) if kind == "width" else PairAggregate(triples, Indices(), -1)
    program = SOp(node, Construction(node))
    try:
        made = capax.compile(program, alphabet=(0, 1, 3), max_length=LONGEST, words=5, certify=False, **options)
    except CapaxError as refused:
        count_outcome("refused")
        assert refused.code in ("not-compilable", "number-too-large", "always-fails")  # noqa: PT017
        return
    count_outcome("compiled")
    meant = rebuild(node, make_causal)[node] if options.get("causal") else node
    words = [w for n in range(1, LONGEST + 1) for w in itertools.product((0, 1, 3), repeat=n)]
    for word, answers in zip(words, made.model.batch(words), strict=True):
        assert _same(answers, reference.evaluate(meant, word)), word


@pytest.mark.parametrize("options", [{"causal": True}, {"masks": False}, {"dtype": "float64"}])
def test_other_settings(options: dict[str, Any]) -> None:
    """With later positions hidden, without masks, and in float64."""
    program = capax.Program.from_text(PROGRAMS["two masks"] + ";")
    made = capax.compile(program, alphabet=ALPHABET, max_length=LONGEST, words=20, **options)
    assert made.certified_length == LONGEST
    if "causal" in options:
        heads = [head for block in made.model.blocks for head in block.heads]
        assert all(head.mask in ("causal", "strict past") for head in heads)


def test_the_library() -> None:
    """Match3, and whether an edge is in a triangle, on all words of up to four of the edges of a graph."""
    match = capax.compile(capax.library.match3, alphabet=range(1, 8), max_length=4)
    assert match.certified_length == 4
    edges = (12, 23, 31, 13, 22)
    graphs = capax.compile(capax.library.in_triangle, alphabet=edges, max_length=4)
    assert graphs.certified_length == 4
    words = [w for n in range(1, 5) for w in itertools.product(edges, repeat=n)]
    assert graphs.model.batch(words) == [list(capax.library.in_triangle(word)) for word in words]


def test_files_and_the_plain_runtime() -> None:
    """The sink of pairs is kept in files, and the runtime that is written to be read agrees."""
    program = capax.Program.from_text(PROGRAMS["a mean"] + ";")
    made = capax.compile(program, alphabet=ALPHABET, max_length=LONGEST, words=5)
    again = from_bytes(to_bytes(made.model), "m.safetensors")
    assert again == made.model
    assert recheck(again).holds
    for word in ("0", "12", "012", "221"):
        assert np.allclose(define(again, word), again.run(word).logits[0], atol=1e-6)


def test_what_no_head_can_do_is_refused() -> None:
    """A mean over a disjunction of different sides, targets without heads of third order, and sums of strings."""
    mean = capax.Program.from_text("aggregate(on_keys(full_s) or select3(indices, indices, indices, sum == 0), 1);")
    with pytest.raises(CapaxError, match="disjunction") as refused:
        capax.compile(mean, alphabet="ab", max_length=3)
    assert refused.value.code == "not-compilable"
    with pytest.raises(CapaxError, match="third order") as refused:
        capax.compile(capax.library.match3, alphabet=[1, 2], max_length=3, target="hf")
    assert refused.value.code == "not-compilable"
    strings = capax.Program.from_text("selector_width(select3(tokens, indices, indices, sum == 0));")
    with pytest.raises(CapaxError) as refused:
        capax.compile(strings, alphabet="ab", max_length=3)
    assert refused.value.code == "always-fails"


def test_exports(tmp_path: Any) -> None:
    """PyTorch holds the model; ONNX and the stock classes say why they do not."""
    pytest.importorskip("torch")
    made = capax.compile(capax.library.match3, alphabet=[1, 2, 4, 5], max_length=4, words=5)
    capax.export_model(made.model, tmp_path / "torch", to="torch")
    for target in ("onnx", "hf", "transformer-lens"):
        with pytest.raises(CapaxError, match=r"third.order") as refused:
            capax.export_model(made.model, tmp_path / target, to=target)
        assert refused.value.code in ("not-exportable", "not-compilable")
