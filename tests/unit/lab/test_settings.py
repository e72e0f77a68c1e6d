"""Settings: their key is their identity, and what does not go together is refused."""

import copy
import pickle
from typing import Any

import pytest

from capax import CapaxError
from capax.lab.settings import Settings, describe, settings_of


def test_the_key_is_that_of_the_values() -> None:
    """Defaults that are named, whole numbers for floats and the order of names change nothing; any value does."""
    one = Settings(task="reverse")
    assert one.key() == Settings(task="reverse", layers=2, parameters={"symbols": 8}, decay=0.01).key()
    assert Settings(task="reverse", clip=1).key() == one.key()
    assert settings_of(one.to_json()).key() == one.key()
    changes: list[dict[str, Any]] = [{"layers": 3}, {"seed": 1}, {"parameters": {"symbols": 9}}, {"order": "sfsf"}]
    for change in [*changes, {"clip": 2}, {"activation": "gelu"}]:
        assert Settings(task="reverse", **change).key() != one.key()


def test_the_key_stays() -> None:
    """A key of stored results: were it another, finished runs would be done again."""
    assert Settings(task="reverse").key() == "e1796c92638fb7c1c551c1ac"
    majority = Settings(task="language", parameters={"name": "majority"})
    assert majority.key() == "9a3f9daa082e34d46cd7782e"
    assert Settings(task="language", parameters={"name": "majority", "mixed": True}).key() != majority.key()


def test_settings_survive_copies_and_processes() -> None:
    """Copies and other processes."""
    one = Settings(task="match2", parameters={"modulus": 7})
    assert copy.deepcopy(one) is one
    assert pickle.loads(pickle.dumps(one)).key() == one.key()


def test_what_is_not_a_default() -> None:
    """The settings as a person would say them."""
    found = describe(Settings(task="reverse", layers=1))
    assert found == {"task": "reverse", "parameters": {"symbols": 8}, "layers": 1}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"task": "reverse", "layer": 1},
        {"task": "reverse", "layers": 1.5},
        {"task": "reverse", "layers": True},
        {"task": "reverse", "rate": "fast"},
        {"task": "reverse", "norm": "both"},
        {"task": "reverse", "steps": -1},
        {"task": "reverse", "order": "sax"},
        {"task": "reverse", "min_length": 5, "max_length": 4},
        {"task": "reverse", "long_length": 12},
        {"task": "reverse", "heads": 3},
        {"task": "reverse", "supervision": 1.0, "attention": "triples"},
        {"task": "reverse", "supervision": 1.0, "net": "gru"},
        {"task": "reverse", "start": "compiled", "marks": "bos"},
        {"task": "match2", "start": "compiled"},
        {"task": "reverse", "activation": "tanh"},
        {"task": "reverse", "activation": "gelu", "net": "mlp"},
        {"task": "reverse", "activation": "gelu", "start": "compiled"},
        {"task": "reverse", "start_noise": 0.1},
        {"task": "reverse", "trained": "nonzero", "start": "compiled-shape"},
        {"task": "reverse", "certify": True},
        {"task": "reverse", "growth": 0.5, "words": 100},
        {"task": "composition", "watch_heads": True, "min_length": 3, "max_length": 3},
        {"task": "reverse", "train_from": 3, "min_length": 2},
        {"task": "next-token", "net": "mlp"},
        {"task": "q-sparse-averaging", "min_length": 3},
    ],
)
def test_bad_settings_are_refused(given: dict[str, Any]) -> None:
    """Each with the code for settings."""
    with pytest.raises(CapaxError) as raised:
        settings_of(given)
    assert raised.value.code == "bad-settings"
