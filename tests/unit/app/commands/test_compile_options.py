"""The options of `capax compile` and `capax stages` are the settings of the compiler."""

from dataclasses import MISSING, fields
from typing import Any

import pytest
from typer.main import get_command

from capax.app.cli import create_app
from capax.app.commands._compile_options import CERTIFY, on_command_line
from capax.compiler.domain import CompileSettings
from capax.compiler.target.build_for_target import compile_targets
from tests.unit.app.outcome import Capax


@pytest.mark.parametrize("name", ["compile", "stages"])
def test_every_setting_is_an_option_with_its_default_and_help(name: str) -> None:
    command: Any = get_command(create_app())
    options = {option.name: option for option in command.commands[name].params}
    for setting in fields(CompileSettings):
        if setting.name == "alphabet":
            continue
        option = options[setting.name]
        assert f"--{setting.name.replace('_', '-')}" in option.opts
        assert option.required == (setting.default is MISSING)
        if not option.required:
            default = CERTIFY[option.default] if setting.name == "certify" else option.default
            assert default is setting.default or default == setting.default
        assert option.help.startswith(setting.metadata["help"].removesuffix("."))
        assert all(choice in option.metavar for choice in setting.metadata["choices"])
    assert {"alphabet", "alphabet_file", "split"} <= options.keys()


def test_the_choices_are_those_that_are_accepted() -> None:
    choices = {setting.name: setting.metadata["choices"] for setting in fields(CompileSettings)}
    assert sorted(choices["target"]) == compile_targets()
    assert set(choices["certify"]) == set(CERTIFY)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('compile with dtype="float64", in which it can be compiled', "compile with --dtype float64, in which it can"),
        ("shorten max_length or use fewer tokens", "shorten --max-length or use fewer tokens"),
        ("take a certificate: certify=True", "take a certificate: --certify yes"),
        ("mlp_depth=2, masks=False, causal=True", "--mlp-depth 2, --no-masks, --causal"),
        ("raise the budget, use other words, --max-length 3", "raise the budget, use other words, --max-length 3"),
    ],
)
def test_a_message_names_options_as_the_command_line_has_them(text: str, shown: str) -> None:
    assert on_command_line(text).startswith(shown)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["indices", "--max-length", "300", "--dtype", "bfloat16"], "--dtype float32"),
        (["tokens", "--max-length", "0"], "--max-length is a number"),
    ],
)
def test_hints_of_the_command_line_are_options(words: list[str], hint: str, capax: Capax) -> None:
    done = capax("compile", *words, "--alphabet", "ab")
    assert done.code == 2
    assert hint in done.err
