"""`capax.compile` is a plain function whose arguments are the settings of the compiler."""

import inspect
from dataclasses import MISSING, Field, fields
from typing import Any

import pytest

import capax
from capax.compiler.compile import compile
from capax.compiler.domain import CompileSettings
from tests.house.tree import ROOT


def test_the_signature_is_that_of_the_settings() -> None:
    """Every setting is an argument with the same default, and is documented."""
    parameters = dict(inspect.signature(compile).parameters)
    assert parameters.pop("program").kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert list(parameters) == [setting.name for setting in fields(CompileSettings)]
    for setting in fields(CompileSettings):
        default = inspect.Parameter.empty if setting.default is MISSING else setting.default
        assert parameters[setting.name].default == default
        assert parameters[setting.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert _sentence(setting) in " ".join((compile.__doc__ or "").split())


def test_the_page_of_the_api_has_the_help_of_every_setting() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for setting in fields(CompileSettings):
        if setting.default is not MISSING:
            shown = f'"{setting.default}"' if isinstance(setting.default, str) else setting.default
            assert f"| `{setting.name}={shown}` | {_sentence(setting).removeprefix(setting.name + ': ')}" in page


def _sentence(setting: Field[Any]) -> str:
    """The help of a setting as the docstring has it: after the name, without a capital letter and full stop."""
    text: str = setting.metadata["help"]
    assert text[0].isupper()
    assert text.endswith(".")
    return f"{setting.name}: {text[0].lower()}{text[1:-1]}"


def test_compile_is_public() -> None:
    assert capax.compile is compile
    assert "compile" in capax.__all__


def test_a_misspelt_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="dtyp"):
        capax.compile(capax.library.reverse, alphabet="ab", max_length=3, dtyp="float64")  # type: ignore[call-arg]
