"""`capax theorems`, `capax theorem` and `capax ngram`."""

import math

import pytest

import capax as package
from capax import theorems
from capax.formal.ngram.fit import fit
from tests.unit.app.outcome import Capax

LINES = ["abab", "abba", "", "b a"]
CORPUS = "\n".join(LINES)


def test_theorems_are_listed(capax: Capax) -> None:
    """A line for each, and all facts as JSON."""
    done = capax("theorems")
    assert [line.split()[0] for line in done.out.splitlines()] == list(theorems.names())
    found = capax("theorems", "--json").json
    assert [item["name"] for item in found] == list(theorems.names())
    assert found[0]["statement"]


def test_a_theorem_is_built_and_checked(capax: Capax) -> None:
    """With its parameters as options; the model can be saved and applied."""
    done = capax("theorem", "ngram-heads", "--order", "2", "--symbols=2", "--length", "50", "-o", "lm.safetensors")
    assert done.code == 0, done.err
    assert "weakly equivalent" in done.out
    assert "written to lm.safetensors" in done.err
    assert package.load_model("lm.safetensors").depth == 1
    result = capax("theorem", "ngram-heads", "--length", "50", "--json").json
    assert result["holds"]
    assert result["at"]["length"] == 50
    assert {row["what"] for row in result["sizes"]} >= {"attention layers", "heads", "width"}


def test_a_theorem_is_proved(capax: Capax) -> None:
    """The last line is the label of the model; with --prove 0 there is none."""
    label = "proved on all 126 words of 1 to 6 letters"
    assert f"\n\n{label}, by exhaustion: " in capax("theorem", "majority", "--prove", "100").out
    assert capax("theorem", "majority", "--prove", "100", "--json").json["proof"]["label"] == label
    assert "proved" not in capax("theorem", "majority", "--prove", "0").out
    assert capax("theorem", "majority", "--prove", "0", "--json").json["proof"] is None
    assert "\nnot proved: there are too many inputs" in capax("theorem", "composition", "--n", "50").out
    assert capax("theorem", "majority", "--prove", "-1").code == 2


def test_a_theorem_is_broken(capax: Capax) -> None:
    """The failure is what was asked for: exit code 0."""
    done = capax("theorem", "ngram-layers", "--break")
    assert done.code == 0
    assert "counterexample" in done.out
    assert capax("theorem", "ngram-layers", "--break", "--json").json["broken"]


@pytest.mark.parametrize(
    "args",
    [
        ("nothing",),
        ("ngram-heads", "--order", "1"),
        ("ngram-heads", "--order"),
        ("ngram-heads", "order"),
        ("ngram-heads", "--nothing", "1"),
        ("ngram-heads", "-o", "lm.pt"),
        ("ngram-heads", "--break", "-o", "lm.safetensors"),
    ],
)
def test_wrong_arguments(capax: Capax, args: tuple[str, ...]) -> None:
    """Exit code 2 and a message."""
    done = capax("theorem", *args)
    assert done.code == 2
    assert done.err.startswith("error[")


def test_fit_score_sample(capax: Capax) -> None:
    """The file is the language model: scores are those of the n-gram model, and samples are words of it."""
    with open("corpus.txt", "w") as file:
        file.write(CORPUS)
    fitted = capax("ngram", "fit", "corpus.txt", "-n", "3", "-o", "lm.safetensors", "--dtype", "float64", "--json").json
    assert (fitted["lines"], fitted["symbols"], fitted["order"], fitted["tight"]) == (3, 3, 3, True)
    language = fit([line for line in LINES if line], 3)
    assert fitted["perplexity"] == language.perplexity([line for line in LINES if line])
    scored = capax("ngram", "score", "lm.safetensors", "abab\nabba", "--json").json
    assert scored["log_probability"] == pytest.approx(
        math.log(language.probability("abab") * language.probability("abba"))
    )
    done = capax("ngram", "score", "lm.safetensors", "-", stdin="aaaa\n")
    assert (done.code, "-inf" in done.out) == (1, True)
    drawn = capax("ngram", "sample", "lm.safetensors", "--count", "4", "--json").json
    assert len(drawn["words"]) == 4
    for word in drawn["words"]:
        assert not word["ended"] or language.probability(word["text"]) > 0
    again = capax("ngram", "sample", "lm.safetensors", "--count", "2", "--json").json
    assert again["words"] == drawn["words"][:2]
    shown = capax("ngram", "sample", "lm.safetensors", "--count", "1")
    assert "per second" in shown.err


def test_words_smoothing_and_the_sonnets(capax: Capax) -> None:
    """Words as symbols, smoothed, so that nothing is impossible; a text that comes with capax is given by its name."""
    with open("corpus.txt", "w") as file:
        file.write("to be or\nnot to be\n")
    done = capax("ngram", "fit", "corpus.txt", "-n", "2", "--as", "words", "--smooth", "1", "-o", "lm.safetensors")
    assert "words" in done.out
    result = capax("ngram", "score", "lm.safetensors", "or not", "--json").json
    language = fit([["to", "be", "or"], ["not", "to", "be"]], 2, smooth=1)
    assert result["log_probability"] == pytest.approx(language.log_probability(["or", "not"]), rel=1e-5)
    sonnets = capax("ngram", "fit", "sonnets", "-n", "2", "-o", "s.safetensors", "--json").json
    assert sonnets["lines"] == 41 * 14
    assert package.load_model("s.safetensors").provenance.ngram is not None


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("fit", "nowhere.txt", "-o", "lm.safetensors"), "file-not-found"),
        (("fit", "sonnets", "-o", "lm.pt"), "bad-option"),
        (("fit", "sonnets", "-n", "12", "-o", "lm.safetensors"), "bad-ngram"),
        (("fit", "sonnets", "--attention", "firm", "-o", "lm.safetensors"), "bad-option"),
        (("fit", "sonnets", "--dtype", "float16", "-o", "lm.safetensors"), "bad-option"),
        (("score", "nowhere.safetensors", "x"), "file-not-found"),
    ],
)
def test_wrong_ngram_arguments(capax: Capax, args: tuple[str, ...], code: str) -> None:
    """Exit code 2 and a message."""
    done = capax("ngram", *args)
    assert done.code == 2
    assert done.err.startswith(f"error[{code}]")
