"""Proofs of the answers of exports to Hugging Face: what they claim holds under every error that they allow for."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from capax.app.commands.verify import verify_certificate
from capax.certify.certificate import ASSUMPTIONS
from capax.certify.exported_models.directory import NormlessExport
from capax.certify.exported_models.exported import FURTHER, at_length, proof_json, recheck_export, refuse_large_pins
from capax.certify.exported_models.norms import EXP_UNITS
from capax.certify.exported_models.norms_certificate import NormedModel
from capax.certify.exported_models.unpaired import CoordinatePairs
from capax.certify.not_certified import NotCertified
from capax.certify.systems import LARGEST
from capax.errors import CapaxError
from capax.model.export.hugging_face.norm_bounds import NormError
from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.io.container import unpack
from capax.model.parts import Affine, Array, Head, Mlp
from tests.support.proved_exports import PROGRAMS, certificate_of, changed, exported, given

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

IN_FLOAT32 = ("reverse", "flip", "sort", "induction", "brackets")


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


def test_an_export_rests_on_what_models_rest_on_with_a_weaker_exp() -> None:
    """And on how words are put into a batch: nothing is left out."""
    others = [text for text in ASSUMPTIONS if text not in FURTHER]
    assert len(others) == 1
    assert others[0].startswith("exp ")
    assert [text for text in FURTHER if text.startswith("exp ")] == [FURTHER[1]]
    assert len(FURTHER) == len(ASSUMPTIONS) + 1


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
    files = exported("flip", "float64")
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert verify_certificate(str(tmp_path)).holds
    (tmp_path / "capax.json").write_text("{}")
    assert not verify_certificate(str(tmp_path)).holds
    (tmp_path / "capax.json").unlink()
    with pytest.raises(CapaxError, match=r"capax\.json"):
        verify_certificate(str(tmp_path))


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
    files = changed(exported("flip", "float64"), "classifier.bias", lambda a: a.__iadd__(1e-3))
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
    files = exported("flip", "float64")
    about = certificate_of(files)["answers"]["about"]
    nothing = proof_json(files, {}, about["before"], about["reach"])
    assert nothing["types"] is False
    assert nothing["verdicts"][0]["length"] == 0
    assert "program" in nothing["verdicts"][0]["breaks"]
    damaged = proof_json({**files, "capax.json": b"{}"}, about, about["before"], about["reach"])
    assert damaged["types"] is False
    assert damaged["verdicts"][0]["length"] == 0
    assert damaged["verdicts"][0]["numbers"] == "float32"  # the files do not say which


@pytest.mark.parametrize(
    ("claimed", "numbers"), [("float64", "float64"), ("float32", "float32"), ("float8", "float32"), (["x"], "float32")]
)
def test_why_damaged_files_prove_nothing_is_said_of_the_system_that_is_claimed(claimed: Any, numbers: str) -> None:
    """If it is one: the reason is part of what is wrong."""
    files = exported("flip", "float64")
    answers = certificate_of(files)["answers"]
    answers["verdicts"][0]["numbers"] = claimed
    wrong, found = recheck_export({**files, "capax.json": b"{}"}, answers)
    assert wrong is not None
    assert found is not None
    assert (found.length, found.numbers) == (0, numbers)
    assert ("the files are damaged" in wrong) == (claimed == numbers)


def test_lengths_that_the_model_does_not_take_are_not_tried() -> None:
    """The empty word is none of an export's, and there are no positions for longer ones."""
    it, error, spec = given(exported("reverse", "float32"))
    normed = NormedModel(it, error, "float32")
    for length in (-1, 0, 7, 10**6):
        verdict = at_length(normed, spec, length)
        assert (verdict.length, verdict.breaks) == (0, "the model takes words up to length 6")
    assert [at_length(normed, spec, length).length for length in (1, 6)] == [1, 6]


def test_a_certificate_of_no_length_proves_nothing() -> None:
    """Though it claims no more than is found; and a length that is found is none too much."""
    files = exported("flip", "float32")
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


@pytest.mark.parametrize("numbers", ["float32", "float64"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_the_squares_of_all_pins_together_stay_below_the_end_of_the_system(numbers: str, count: int) -> None:
    """A norm adds them up: a fourth of what is certified is left to the other coordinates, whatever the count."""
    fits = []
    for power in (0, 20, *range(52, 62), *range(492, 502), 700):
        pairs = CoordinatePairs(HuggingFaceSizes(64, 1, 64, count, 1), 2.0**power, 2 * count, 64)
        with np.errstate(over="ignore"):
            squares = float(np.square(pairs.pinned()).sum())
        if 4 * squares <= LARGEST[numbers]:
            refuse_large_pins(pairs, numbers)
            fits.append(squares)
            continue
        with pytest.raises(NotCertified, match="what is pinned could be too large") as caught:
            refuse_large_pins(pairs, numbers)
        assert caught.value.where == "the norms"
    assert max(fits) > LARGEST[numbers] / 64  # what fits and what does not are near each other


@pytest.mark.parametrize("factor", [2.0**500, 2.0**900, 2.0**-600])
def test_files_with_pins_at_the_ends_of_the_numbers_are_not_proved(factor: float) -> None:
    """Their squares are beyond all floats, or zero: that is said, and nothing else goes wrong."""
    files = exported("flip", "float64")
    _, tensors = unpack(files["model.safetensors"], "test")
    first, again = given(files)[0].pairs.first, files
    for name in tensors:
        if name.endswith("position_embeddings.weight"):
            again = changed(again, name, lambda a: a[:, :first].__imul__(factor))
        elif "LayerNorm" in name:
            again = changed(again, name, lambda a: a.__imul__(factor))
    wrong, found = recheck_export(again, certificate_of(files)["answers"])
    assert found is not None
    assert found.length == 0
    assert "pinned" in str(found.breaks)
    assert wrong == f"it claims length 6 in float64 (proved: 0; {found.breaks})"
