"""`capax recognise --crasp` and `capax crasp`."""

from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax


def test_a_language_inside_is_built(capax: Capax) -> None:
    """Both readings with a formula, a program in the dialect, and a model that runs."""
    done = capax(
        "recognise", "(ab)*", "--crasp", "-o", "ab.safetensors", "--rasp", "ab.rasp", "--max-length", "8", "--json"
    )
    assert done.code == 0, done.err
    assert [(one["read"], one["in_c_rasp"], one["wrong"]) for one in done.json["readings"]] == [
        ("last", True, None),
        ("end", True, None),
    ]
    assert done.json["build"]["in_dialect"]
    assert "certified" in done.json["build"]["model"]["label"]
    assert "C-RASP: inside" in capax("layers", "ab.rasp").out
    assert "[F, T, F, T]" in capax("apply", "ab.safetensors", "abab").out


def test_a_language_outside_has_words(capax: Capax) -> None:
    """The exit code is that of the reading that was chosen."""
    assert capax("recognise", ".*a", "--alphabet", "ab", "--crasp").code == 0
    done = capax("recognise", ".*a", "--alphabet", "ab", "--crasp", "--read", "end")
    assert done.code == 1
    assert "read at an end marker after the word: no" in done.out
    assert "closed walks ab, b; 4 identities hold" in done.out
    assert capax("recognise", ".*aa", "--alphabet", "ab", "--crasp", "--window", "1").code == 0


@pytest.mark.parametrize(
    "options",
    [
        ("(ab)*", "--window", "1"),
        ("(ab)*", "ab", "--crasp"),
        ("(ab)*", "--crasp", "--window", "99"),
        ("(ab)*", "--crasp", "--rasp", "ab.txt"),
        ("--language", "dyck-2", "--crasp"),
    ],
)
def test_wrong_options_are_refused(capax: Capax, options: tuple[str, ...]) -> None:
    """With a reason, before anything is written."""
    done = capax("recognise", *options)
    assert done.code == 2
    assert "bad-option" in done.err
    assert not list(Path().glob("*.rasp"))


def test_formulas_are_compared(capax: Capax) -> None:
    """Equal, included with a longer word, empty, unknown; and two expressions by their automata."""
    pytest.importorskip("z3")
    assert capax("crasp", "#[a] > #[b]", "#[a] >= #[b] + 1").out.startswith("equal: yes")
    far = capax("crasp", "#[a] >= #[b] + 20", "#[a] > #[b] + 20", "--relation", "included", "--max-length", "6")
    assert far.code == 1
    assert "of 20 letters" in far.out
    assert capax("crasp", "#[a] > #[b] & #[b] > #[a]").out.startswith("empty: yes")
    unknown = capax("crasp", "#[a & #[a] > #[b]] >= 0", "true", "--json")
    assert unknown.code == 0
    assert unknown.json["holds"] is None
    assert "the automata" in capax("crasp", "regex:(ab)*", "regex:(ab)*(ba)*", "--relation", "included").out


@pytest.mark.parametrize(
    "options",
    [("a &",), ("#[a] >= 1", "--relation", "equal"), ("regex:.*aa.*b",), ("true",), ("a", "b", "--max-length", "900")],
)
def test_what_cannot_be_compared_is_refused(capax: Capax, options: tuple[str, ...]) -> None:
    """A formula that cannot be read, a wrong relation, an expression outside C-RASP, no letters, a length."""
    assert capax("crasp", *options).code == 2
