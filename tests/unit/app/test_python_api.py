"""The commands as functions: each gives what the command prints, and a card for notebooks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import capax
from capax import aggregate, indices, length, select, tokens
from tests.unit.app.outcome import Capax

REVERSE = aggregate(select(indices, length - 1 - indices, "=="), tokens)

CALLS: list[tuple[Callable[[], Any], tuple[str, ...]]] = [
    (lambda: capax.run("reverse", "hello"), ("run", "reverse", "hello")),
    (lambda: capax.run("sort", "cab", trace=True), ("run", "sort", "cab", "--trace")),
    (lambda: capax.layers("reverse"), ("layers", "reverse")),
    (lambda: capax.theorem("first", prove=0), ("theorem", "first", "--prove", "0")),
    (lambda: capax.limit("composition", heads=2, n=100), ("limit", "composition", "--heads", "2", "--n", "100")),
    (lambda: capax.recognise("(ab)*", max_length=6), ("recognise", "(ab)*", "--max-length", "6")),
    (lambda: capax.recognise(ltl="P a", max_length=5), ("recognise", "--ltl", "P a", "--max-length", "5")),
    (lambda: capax.tm("increment", "101"), ("tm", "increment", "101")),
]  # fmt: skip


def timeless(data: Any) -> Any:
    """Plain data without what differs from run to run."""
    return {k: v for k, v in data.items() if "second" not in k} if isinstance(data, dict) else data


@pytest.mark.parametrize(("call", "words"), CALLS, ids=[" ".join(words) for _, words in CALLS])
def test_a_function_gives_what_the_command_prints(
    capax: Capax, call: Callable[[], Any], words: tuple[str, ...]
) -> None:
    result = call()
    printed = capax(*words)
    assert str(result).strip() == printed.out.strip()
    assert timeless(result.to_json()) == timeless(capax(*words, "--json").json)
    card = result._repr_mimebundle_()
    assert card["text/plain"] == str(result)
    assert card["text/html"].startswith('<div class="capax-card"')


def test_programs_of_python_are_taken() -> None:
    assert list(capax.run(REVERSE, "abc").value) == ["c", "b", "a"]
    assert capax.layers(REVERSE).schedule.depth == 2


def test_a_model_is_fooled_from_its_file_and_as_a_value(capax: Capax, tmp_path: Path) -> None:
    import capax as package

    file = str(tmp_path / "layer.safetensors")
    capax("make-model", "composition", "--n", "8", "--heads", "1", "--dim", "2", "-o", file)
    for model in (file, package.load_model(file)):
        search = package.fool(model, "composition", seconds=20).search
        assert search.witness is not None
    with pytest.raises(package.CapaxError, match="seed"):
        package.fool(file, "composition", seed=-1)


def test_words_become_an_n_gram_model() -> None:
    """The probabilities are the shares of the counts."""
    model = capax.ngram(["abab", "ab"], 2)
    after = dict(zip("ab", model.run(list("a"), many=False).probabilities[-1], strict=False))
    assert after["b"] == pytest.approx(1.0)
    assert capax.ngram([["to", "be"], ["to", "go"]], 2).vocabulary.tokens[:3] == ("be", "go", "to")
