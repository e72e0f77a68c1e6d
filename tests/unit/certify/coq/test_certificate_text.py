"""Whole Coq files: what they state, when words are enumerated, what Coq accepts and refuses."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import capax
from capax import CapaxError
from capax.certify.coq import coq_certificate
from tests.house.tree import ROOT
from tests.support.coq_models import REVERSE, compiled


def test_file_states_the_theorem() -> None:
    """About its tokens and its length, and without an assumption of its own."""
    certificate = coq_certificate(compiled(REVERSE))
    assert "(t < 3)%nat" in certificate.text
    assert "(1 <= length word <= 4)%nat" in certificate.text
    assert certificate.text.endswith("Print Assumptions model_is_program.\n")
    assert proofs().assumed(certificate.text) == []
    assert "1 to 4 of 3 tokens" in certificate.statement


def test_file_is_the_same_each_time() -> None:
    """Nothing in it depends on the run."""
    assert coq_certificate(compiled(REVERSE)).text == coq_certificate(compiled(REVERSE)).text


def test_words_are_enumerated_where_states_do_not_do() -> None:
    """The position before this one: there is none at the first."""
    text = "aggregate(select(indices, indices - 1, ==), indices)"
    assert coq_certificate(compiled(text, "ab", 3)).method == "all 14 words, one by one"
    with pytest.raises(CapaxError) as error:
        coq_certificate(compiled(text, "ab", 9))
    assert error.value.code == "not-in-coq"


def test_means_of_several_positions_are_refused() -> None:
    """The Coq program would be another one."""
    with pytest.raises(CapaxError, match="several"):
        coq_certificate(compiled("aggregate(select(tokens, 'a', ==), indices) == 1", "ab", 3))


def test_many_words_are_not_enumerated() -> None:
    """Where words are asked for and are too many."""
    assert coq_certificate(compiled(REVERSE), by="words").method == "all 120 words, one by one"
    with pytest.raises(CapaxError, match="words"):
        coq_certificate(compiled(REVERSE, length=8), by="words")


def test_names_cannot_end_a_comment() -> None:
    """A token that Coq would read as the end of a comment."""
    model = capax.compile(capax.tokens, alphabet=["*)", "(*"], max_length=2, words=5).model
    first = coq_certificate(model, by="words").text.splitlines()[0]
    assert first.count("(*") == first.count("*)") == 1


def proofs() -> ModuleType:
    """The script that runs Coq."""
    spec = importlib.util.spec_from_file_location("capax_proofs", ROOT / "proofs" / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_is_assumed_in_the_theorems() -> None:
    """No axiom and no missing proof in any file, and every file is run."""
    script = proofs()
    files = sorted((ROOT / "proofs").glob("*.v"))
    assert sorted(path.stem for path in files) == sorted(script.FILES)
    assert [word for path in files for word in script.assumed(path.read_text(encoding="utf-8"))] == []


def test_assumptions_are_seen() -> None:
    """Also where a comment stands before them; not in a comment."""
    script = proofs()
    assert script.assumed("(* no Axiom *) Lemma a : False. Proof. (* x *) Admitted.") == ["Admitted"]
    assert script.axioms("Axioms:\nA.b : forall x,\n  x\nlong.name\n  : nat\n") == {"A.b", "long.name"}
    assert script.axioms("") != set()


@pytest.mark.deep
@pytest.mark.xdist_group("coq")
def test_coq_accepts_every_proof(capsys: pytest.CaptureFixture[str]) -> None:
    """All theorems, and the certificates of the listed models, on the axioms of the reals alone."""
    if shutil.which("coqc") is None:
        pytest.skip("Coq is not installed: make proofs installs it, or says how to")
    assert proofs().main([]) == 0, capsys.readouterr().err
    assert "FAILED" not in capsys.readouterr().out


@pytest.mark.deep
@pytest.mark.xdist_group("coq")
def test_coq_refuses_changed_weights(tmp_path: Path) -> None:
    """One weight of the readout with another sign: the computation does not give true."""
    script = proofs()
    if not script.installed():
        pytest.skip("Coq is not installed: make proofs installs it, or says how to")
    assert all(script.theorem(name) for name in script.FILES)
    text = coq_certificate(compiled(REVERSE, length=8)).text
    weight = text.rindex("(-1, 1)", 0, text.index("Definition classes"))
    changed = tmp_path / "changed.v"
    changed.write_text(text[:weight] + "(1, 1)" + text[weight + len("(-1, 1)") :])
    done, _ = script.coqc(changed)
    assert done.returncode != 0
    assert "all_states_ok" in done.stderr
