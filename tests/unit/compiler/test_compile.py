"""`capax.compile` is a plain function whose arguments are the settings of the compiler."""

import inspect
from dataclasses import MISSING, fields

import pytest

import capax
from capax.compiler.compile import compile
from capax.compiler.domain import HELP, CompileSettings


def test_the_signature_is_that_of_the_settings() -> None:
    """Every setting is an argument with the same default, and is documented."""
    parameters = dict(inspect.signature(compile).parameters)
    assert parameters.pop("program").kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert list(parameters) == [setting.name for setting in fields(CompileSettings)]
    for setting in fields(CompileSettings):
        default = inspect.Parameter.empty if setting.default is MISSING else setting.default
        assert parameters[setting.name].default == default
        assert parameters[setting.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"\n        {setting.name}: " in (compile.__doc__ or "")
        assert HELP[setting.name].endswith(".")


def test_compile_is_public() -> None:
    assert capax.compile is compile
    assert "compile" in capax.__all__


def test_a_misspelt_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="dtyp"):
        capax.compile(capax.library.reverse, alphabet="ab", max_length=3, dtyp="float64")  # type: ignore[call-arg]
