"""Proofs of the answers of exports to Hugging Face: what they claim holds under every error that they allow for."""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import capax
from capax.app.commands.verify import verify_certificate
from capax.budget import Budget
from capax.certify.certify_budget import WorkBudget
from capax.certify.exports.directory import NormlessExport, read_export
from capax.certify.exports.exported import FURTHER, at_length, proof_json, recheck_export
from capax.certify.exports.norms import EXP_UNITS
from capax.certify.exports.norms_certificate import NormedModel, check_normed
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache
from capax.certify.recheck.recheck import program_in, spec_of
from capax.compiler.target.fit_to_target import fit
from capax.errors import CapaxError
from capax.model.export.hugging_face.norm_bounds import NormError, norm_error
from capax.model.export.hugging_face.target import write
from capax.model.io.container import Stored, pack, unpack
from capax.model.parts import Affine, Array, Head, Mlp
from capax.rasp.analysis.output_spec import OutputSpec

LIBRARY = capax.library
THE_AS = capax.selector_width(capax.select(capax.tokens, "a", "=="))
PROGRAMS: dict[str, tuple[Any, str, int, bool]] = {
    "reverse": (LIBRARY.reverse, "abc", 6, False),
    "flip": (
        capax.aggregate(capax.select(capax.indices, THE_AS - 1 - capax.indices, "=="), capax.tokens, "c"),
        "abc",
        6,
        False,
    ),
    "sort": (LIBRARY.sort(capax.tokens, capax.tokens), "abc", 5, False),
    "induction": (LIBRARY.induction, "abc", 8, True),
    "brackets": (LIBRARY.dyck1_ptf, "()", 8, False),
    "brackets of two kinds": (LIBRARY.dyck2_ptf, "(){}", 3, False),
}
IN_FLOAT32 = ("reverse", "flip", "sort", "induction", "brackets")


@cache
def exported(name: str, dtype: str) -> dict[str, bytes]:
    """The files of a program, with what is proved of them."""
    program, alphabet, length, causal = PROGRAMS[name]
    compiled = capax.compile(
        program, alphabet=alphabet, max_length=length, causal=causal, dtype=dtype, certify=False
    ).model
    return dict(write(fit(compiled, "hf").model, Path(), proof_json))


def certificate_of(files: dict[str, bytes]) -> Any:
    """The certificate among the files."""
    return json.loads(files["certificate.json"])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_all_answers_are_proved(name: str, dtype: str) -> None:
    """At the model's own length, in float64 always; the files say so, and no more than is found again."""
    files = exported(name, dtype)
    known, length = certificate_of(files), PROGRAMS[name][2]
    (verdict,) = known["answers"]["verdicts"]
    card = " ".join(files["README.md"].decode().split())
    if dtype == "float32" and name not in IN_FLOAT32:
        assert verdict["length"] < length
        assert verdict["breaks"]
        assert verdict["breaks"] in known["not_proved"][0]
        assert "help" not in known["not_proved"][0], "nothing else was tried"
        assert f"Not proved: {known['not_proved'][0]}" in card
        return
    assert (verdict["length"], verdict["numbers"], verdict["whole"]) == (length, dtype, True)
    assert known["not_proved"] == []
    assert known["rows"]["evidence"] == "proved"
    assert f"all words of 1 to {length} tokens" in known["proved"][1]
    assert known["proved"][1] in card
    assert known["answers"]["assumptions"] == list(FURTHER)
    assert recheck_export(files, known["answers"])[0] is None


def given(files: dict[str, bytes]) -> tuple[NormlessExport, NormError, OutputSpec]:
    """What the files hold, the errors of their norms, and the answers that are spec."""
    about = certificate_of(files)["answers"]["about"]
    found = read_export(files, about, about["before"])
    pairs, numbers = found.pairs, found.model.numbers
    error = norm_error(pairs.sizes, numbers, pairs.pin, about["reach"], found.model.width, after=found.after)
    program, causal = program_in(found.model)
    return found, error, spec_of(found.model, program.node, causal=causal)  # type: ignore[arg-type]


class Worse:
    """Runs a model in real arithmetic, as far as float64 is it, with errors drawn from what the bounds allow."""

    def __init__(self, it: NormlessExport, error: NormError, seed: int) -> None:
        self.it, self.error, self.source = it, error, np.random.default_rng(seed)

    def draw(self, shape: tuple[int, ...]) -> Array:
        """Numbers between -1 and 1, many of them at the ends."""
        if self.source.random() < 0.3:  # one sign for all
            return np.full(shape, self.source.choice([-1.0, 1.0]))
        return np.asarray(self.source.choice([-1.0, 1.0, self.source.random()], shape))

    def norm(self, rows: Array) -> Array:
        """A norm that is as bad as it may be: one factor for each row, and an error for each direction."""
        error = self.error
        own = 3 * error.unit * (np.abs(rows) + error.apart / 2 + error.shift) * (1 + error.factor)
        return rows * (1 + error.factor * self.draw((len(rows), 1))) + own * self.draw(rows.shape)

    def logits(self, word: Sequence[int]) -> Array:
        """The logits at each place of a word of rows of the vocabulary."""
        model, after = self.it.model, self.it.after
        table = model.positions.table
        assert table is not None
        rows = model.embedding[list(word)].astype(np.float64) + table[: len(word)]
        if self.it.first is not None:
            rows = np.concatenate([self.it.first[None], rows])
        rows = self.norm(rows) if after else rows
        for block in model.blocks:
            read = rows if after else self.norm(rows)
            rows = rows + block.bias + sum(self.head(head, read) for head in block.heads if isinstance(head, Head))
            rows = self.norm(rows) if after else rows
            if isinstance(block.mlp, Mlp):
                first, second = block.mlp.maps
                hidden = np.maximum(_map(first, rows if after else self.norm(rows)), 0)
                rows = rows + _map(second, hidden)
            rows = self.norm(rows) if after else rows
        found = _map(model.readout.map, rows if after else self.norm(rows))
        return found if self.it.first is None else found[1:]

    def head(self, head: Head, read: Array) -> Array:
        """What a head adds, with an exp that is off."""
        scores = _map(head.query, read) @ _map(head.key, read).T * head.scale
        if head.mask == "causal":
            scores[np.triu_indices(len(read), 1)] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = weights * (1 + 2 * EXP_UNITS * self.error.unit * self.draw(weights.shape))
        return weights / weights.sum(axis=1, keepdims=True) @ _map(head.value, read) @ head.output.astype(np.float64)


def _map(map: Affine, rows: Array) -> Array:
    return np.asarray(rows @ map.weight.astype(np.float64) + map.bias)


def wrong_answers(it: NormlessExport, error: NormError, name: str, runs: int) -> int:
    """How many of all short words, and of some long ones, have a wrong answer with errors that are drawn."""
    program, alphabet, longest, _ = PROGRAMS[name]
    tokens = it.model.vocabulary.tokens
    source = np.random.default_rng(7)
    words = [w for n in range(1, 4) for w in itertools.product(range(len(tokens)), repeat=n)][:40]
    words += [tuple(source.integers(0, len(tokens), longest)) for _ in range(10)]
    found = 0
    for word in words:
        letters = [tokens[i] for i in word]
        expected = program("".join(map(str, letters)) if len(alphabet) > 1 else letters)
        for run in range(runs):
            best = Worse(it, error, hash((word, run)) % 2**32).logits(word).argmax(axis=1)
            found += [it.model.decoding.values[i] for i in best] != list(expected)  # type: ignore[union-attr]
    return found


def tried(name: str, runs: int, step: int) -> list[tuple[bool, int]]:
    """For norms that are worse and worse, whether the answers are proved, and how many are wrong."""
    it, error, spec = given(exported(name, "float64"))
    length, found = PROGRAMS[name][2], []
    most = math.floor(math.log2(2 / error.factor))
    for power in (*range(0, most, step), most):
        worse = replace(
            error, factor=error.factor * 2.0**power, apart=error.apart * 2.0**power, shift=error.shift * 2.0**power
        )
        holds = at_length(NormedModel(it, worse, it.model.numbers), spec, length).length == length
        found.append((holds, wrong_answers(it, worse, name, runs)))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("runs", "step"), [(1, 12), pytest.param(20, 2, marks=pytest.mark.deep)])
def test_answers_hold_under_all_errors_that_a_proof_allows(name: str, runs: int, step: int) -> None:
    """As long as they are proved they are right, on all short words and some long ones, and in the end they are not."""
    found = tried(name, runs, step)
    assert not any(holds and wrong for holds, wrong in found)
    assert sum(holds for holds, _ in found) > 1  # there is room in the proof at the true errors
    assert found[-1][1] > 0  # and errors that are large enough are seen


def test_a_folder_is_checked_again(tmp_path: Path) -> None:
    """By the command, from the files alone."""
    files = exported("reverse", "float64")
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert verify_certificate(str(tmp_path)).holds
    (tmp_path / "capax.json").write_text("{}")
    assert not verify_certificate(str(tmp_path)).holds
    (tmp_path / "capax.json").unlink()
    with pytest.raises(CapaxError, match=r"capax\.json"):
        verify_certificate(str(tmp_path))


def changed(files: dict[str, bytes], name: str, change: Any) -> dict[str, bytes]:
    """The files with one tensor changed."""
    _, tensors = unpack(files["model.safetensors"], "test")
    stored = tensors[name]
    array = np.frombuffer(stored.data, {"F32": "<f4", "F64": "<f8"}[stored.dtype]).reshape(stored.shape).copy()
    change(array)
    made = {**tensors, name: Stored(stored.dtype, stored.shape, array.tobytes())}
    return {**files, "model.safetensors": pack(made, {"format": "pt"})}


def _pair(array: Array, by: float, *, axis: int) -> None:
    """Changes the weights of a pair that matters, alike."""
    rows = array if axis == 0 else array.T
    place = next(i for i in range(4, len(rows), 2) if rows[i].any())
    column = int(np.nonzero(rows[place])[0][0])
    rows[place, column] += by
    rows[place + 1, column] -= by


CHANGES: list[tuple[str, Any]] = [
    ("classifier.weight", lambda a: _pair(a, 3.0, axis=1)),
    ("classifier.bias", lambda a: a.__setitem__(0, 50.0)),
    ("roberta.encoder.layer.1.intermediate.dense.weight", lambda a: _pair(a, -0.7, axis=1)),
    ("roberta.encoder.layer.0.attention.self.key.weight", lambda a: _pair(a, 0.5, axis=1)),
    ("roberta.encoder.layer.3.attention.self.query.bias", lambda a: a.__iadd__(0.4)),
    ("roberta.embeddings.position_embeddings.weight", lambda a: a.__setitem__((-1, 0), 1.0)),
    ("roberta.encoder.layer.2.output.LayerNorm.weight", lambda a: a.__imul__(1.01)),
    ("roberta.encoder.layer.2.output.LayerNorm.bias", lambda a: a.__setitem__(-3, 0.5)),
    ("roberta.encoder.layer.2.output.dense.weight", lambda a: a.__setitem__((5, 0), 0.25)),
    ("classifier.weight", lambda a: a.__setitem__((0, 4), 0.3)),
]


@pytest.mark.parametrize(("name", "change"), CHANGES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_changed_weights_are_not_proved(name: str, change: Any, dtype: str) -> None:
    """A weight that is changed beyond its margin, a pair that is none, a norm that does something."""
    files = exported("flip", dtype)
    wrong, _ = recheck_export(changed(files, name, change), certificate_of(files)["answers"])
    assert wrong is not None


def test_a_change_within_the_margin_is_proved_again() -> None:
    """With figures of its own."""
    files = changed(exported("reverse", "float64"), "classifier.bias", lambda a: a.__iadd__(1e-3))
    about = certificate_of(files)["answers"]["about"]
    again = proof_json(files, about, about["before"], about["reach"])
    assert again["verdicts"][0]["length"] == 6
    assert recheck_export(files, again)[0] is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdicts", 0, "length"), 7),
        (("verdicts", 0, "decoding_margin"), 0.6),
        (("verdicts", 0, "numbers"), "float32"),
        (("verdicts", 0, "heads", 0, "gap"), 1e9),
        (("verdicts",), []),
        (("assumptions",), []),
        (("about", "heads"), []),
        (("about", "before"), [0]),
        (("about", "before"), []),
        (("about", "before"), [10**6]),
        (("about", "reach"), 1.0),
        (("about", "reach"), 1e300),
        (("about", "program"), "indices"),
        (("about", "program"), "a = ;"),
        (("about",), None),
    ],
)
def test_what_claims_too_much_is_refused(path: tuple[Any, ...], value: Any) -> None:
    """Lengths, figures, and hints that are wrong."""
    files = exported("flip", "float64")
    claimed = certificate_of(files)["answers"]
    place = claimed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert recheck_export(files, claimed)[0] is not None


def test_other_models_are_not_proved() -> None:
    """A model without a program is exported, and the certificate says that no proof is possible."""
    files = exported("reverse", "float64")
    about = certificate_of(files)["answers"]["about"]
    found = proof_json(files, {}, about["before"], about["reach"])["verdicts"][0]
    assert found["length"] == 0
    assert "program" in found["breaks"]
    damaged = {**files, "capax.json": b"{}"}
    assert proof_json(damaged, about, about["before"], about["reach"])["verdicts"][0]["length"] == 0


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("induction", {"num_hidden_layers": 1}),
    ("induction", {"num_attention_heads": 3}),
    ("induction", {"do_layer_norm_before": False}),
    ("induction", {"_remove_final_layer_norm": True}),
    ("induction", {"enable_bias": False}),
    ("induction", {"word_embed_proj_dim": 4}),
    ("induction", {"tie_word_embeddings": None}),
    ("induction", {"tie_word_embeddings": True}),
    ("induction", {"torch_dtype": "bfloat16"}),
    ("induction", {"architectures": None}),
    ("induction", {"architectures": ["OPTModel"]}),
    ("reverse", {"is_causal": True}),
    ("reverse", {"is_decoder": True}),
    ("reverse", {"position_embedding_type": None}),
    ("reverse", {"id2label": {"0": "b", "1": "a", "2": "c"}}),
    ("reverse", {"model_type": "bert"}),
    ("reverse", {"pad_token_id": 0}),
    ("reverse", {"pad_token_id": None}),
    ("reverse", {"quantization_config": {}}),
    ("reverse", {"dtype": "float16"}),
]


@pytest.mark.parametrize(("name", "change"), SETTINGS)
def test_settings_that_a_class_may_take_otherwise_are_refused(name: str, change: dict[str, Any]) -> None:
    """Other names of settings, settings that an export does not have, and labels that are other answers."""
    files = exported(name, "float32")
    config = {**json.loads(files["config.json"]), **change}
    claimed = certificate_of(files)["answers"]
    assert recheck_export(files, claimed)[0] is None
    wrong, found = recheck_export({**files, "config.json": json.dumps(config).encode()}, claimed)
    assert wrong is not None
    assert found is not None
    assert found.length == 0


def test_a_token_of_words_cannot_be_the_one_for_padding() -> None:
    """RoBERTa gives it no position: the answers would be others, though weights and positions are what they were."""
    files = exported("reverse", "float32")
    config = json.loads(files["config.json"])
    _, tensors = unpack(files["model.safetensors"], "test")
    name, more = "roberta.embeddings.position_embeddings.weight", config["pad_token_id"]
    table = tensors[name]
    rows, width = table.shape
    cut = Stored(table.dtype, (rows - more, width), table.data[more * width * 4 :])
    config |= {"pad_token_id": 0, "max_position_embeddings": rows - more}
    weights = pack({**tensors, name: cut}, {"format": "pt"})
    again = {**files, "model.safetensors": weights, "config.json": json.dumps(config).encode()}
    wrong, found = recheck_export(again, certificate_of(files)["answers"])
    assert wrong is not None
    assert found is not None
    assert "token for padding" in str(found.breaks)


def test_masks_and_positions_among_the_weights_are_refused() -> None:
    """Old versions of the classes read them."""
    files = exported("reverse", "float32")
    _, tensors = unpack(files["model.safetensors"], "test")
    tensors = {**tensors, "roberta.embeddings.position_ids": Stored("F32", (1, 7), bytes(28))}
    again = {**files, "model.safetensors": pack(tensors, {"format": "pt"})}
    wrong, found = recheck_export(again, certificate_of(files)["answers"])
    assert wrong is not None
    assert found is not None
    assert "positions of their own" in str(found.breaks)


def test_a_certificate_of_no_length_proves_nothing() -> None:
    """Though it claims no more than is found; and a length that is found is none too much."""
    files = exported("reverse", "float32")
    answers = certificate_of(files)["answers"]
    (verdict,) = answers["verdicts"]
    nothing = {**verdict, "length": 0, "whole": False, "heads": [], "stages": [], "decoding_margin": None}
    wrong, found = recheck_export(files, {**answers, "verdicts": [nothing]})
    assert wrong == "it proves no length"
    assert found is not None
    assert found.length == 0
    longer = {**verdict, "length": verdict["length"] + 1}
    wrong, found = recheck_export(files, {**answers, "verdicts": [longer]})
    assert wrong is not None
    assert wrong.startswith(f"it claims length {verdict['length'] + 1}")
    for damaged in ({**answers, "about": {**answers["about"], "reach": 0}}, {**answers, "verdicts": [7]}, 7):
        assert recheck_export(files, damaged)[1] is None


def test_too_much_work_closes_longer_words() -> None:
    """A length that takes too much is not tried again, nor is a longer one."""
    found, error, spec = given(exported("reverse", "float32"))
    it = NormedModel(found, error, "float32")
    budget, cache = WorkBudget(Budget(10)), ProofCache()
    with pytest.raises(NotCertified) as caught:
        check_normed(it, spec, 3, budget, cache)
    assert caught.value.too_many
    assert cache.too_long == 3
    budget.next_system()
    with pytest.raises(NotCertified) as again:
        check_normed(it, spec, 4, budget, cache)
    assert again.value.too_many
    assert check_normed(it, spec, 2, budget, cache).length == 2
    assert cache.too_long == 3


@pytest.mark.parametrize(("name", "where"), [("reverse", "the embedding"), ("induction", "layer 1")])
def test_rows_that_are_too_long_for_norms_are_refused_where_they_are_read(name: str, where: str) -> None:
    """By the norm after the embedding, or else by that before the heads of the first layer."""
    found, error, spec = given(exported(name, "float32"))
    assert found.after == (where == "the embedding")
    with pytest.raises(NotCertified, match="a row of the stream may be") as caught:
        check_normed(NormedModel(found, replace(error, reach=1e-3), "float32"), spec, 2, WorkBudget(), ProofCache())
    assert caught.value.where == where
    assert not caught.value.too_many
