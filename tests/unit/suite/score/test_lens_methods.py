"""Methods on TransformerLens: exact patching is what the own run gives, and EAP is blind where attention is hard."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from transformer_lens.utilities.tokenize_utils import get_attention_mask
from transformers import AutoTokenizer

from capax.model.interpretability.lens_model import Patch, run
from capax.suite.files import settings_of, words_files
from capax.suite.programs.suite_program import compiled_case, written_programs
from capax.suite.score.lens_methods import LensGraph, PairBatch, eap, exact, logit_difference, opened
from capax.suite.truth.pairs import rows_of_words

INDUCTION = compiled_case(next(program for program in written_programs("library") if program.id == "induction"))
CLEAN, CORRUPTED = ["abca", "abcb", "ccab"], ["abcb", "bbcb", "ccbb"]


def test_exact_patching_is_the_own_run() -> None:
    """For every edge of the graph the same change of the metric; edges that are in alone have one."""
    lens = INDUCTION.lens
    rows = [rows_of_words(lens, words) for words in (CLEAN, CORRUPTED)]
    graph = LensGraph(lens)
    scores = exact(graph, PairBatch(torch.tensor(rows[0]), torch.tensor(rows[1]), lens.start))
    base, other = run(lens, rows[0]), run(lens, rows[1])
    metric = logit_difference(torch.tensor(base.logits), torch.tensor(other.logits), lens.start)
    before = metric(torch.tensor(base.logits))
    for edge in graph.edges:
        changed = run(lens, rows[0], [Patch(edge.source, edge.target, other.outputs[edge.source])], base)
        expected = float((metric(torch.tensor(changed.logits)) - before).abs().sum())
        assert np.isclose(scores[edge.name], expected, atol=1e-4), edge
    inside = {edge.edge.name for edge in INDUCTION.edges}
    assert {name for name, value in scores.items() if value > 1e-6} <= inside


def test_eap_sees_values_and_no_patterns_of_hard_attention() -> None:
    """The edge of the copied letter has a score; queries, behind a saturated softmax, have none."""
    lens = INDUCTION.lens
    rows = [torch.tensor(rows_of_words(lens, words)) for words in (CLEAN, CORRUPTED)]
    scores = eap(LensGraph(lens), PairBatch(rows[0], rows[1], lens.start))
    assert abs(scores["a1.h0->logits"]) > 0.1
    assert scores["input->a1.h0<q>"] == 0.0


def test_words_are_read_as_texts(tmp_path: Path) -> None:
    """With the tokenizer of the case, TransformerLens puts BOS before a text, and knows all tokens that it fills up."""
    lens = INDUCTION.lens
    for name, data in words_files(lens).items():
        (tmp_path / name).write_bytes(data)
    model = opened(replace(lens, config=settings_of(lens)))
    model.set_tokenizer(AutoTokenizer.from_pretrained(tmp_path))
    rows = torch.tensor(rows_of_words(lens, CLEAN))
    assert torch.equal(model.to_tokens(CLEAN), rows)
    assert len(model.tokenizer) == len(lens.tokens)
    assert torch.equal(model(CLEAN, attention_mask=get_attention_mask(model.tokenizer, rows, True)), model(rows))
