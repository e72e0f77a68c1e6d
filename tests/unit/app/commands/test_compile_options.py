"""The options of `capax compile` and `capax stages` are the settings of the compiler."""

from dataclasses import MISSING, fields
from typing import Any

import pytest
from typer.main import get_command

from capax.app.cli import create_app
from capax.app.commands._compile_options import CERTIFY
from capax.compiler.domain import CompileSettings
from capax.compiler.target.build_for_target import compile_targets


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
        assert all(choice in option.help for choice in setting.metadata["choices"])
    assert {"alphabet", "alphabet_file", "split"} <= options.keys()


def test_the_choices_are_those_that_are_accepted() -> None:
    choices = {setting.name: setting.metadata["choices"] for setting in fields(CompileSettings)}
    assert sorted(choices["target"]) == compile_targets()
    assert set(choices["certify"]) == set(CERTIFY)
