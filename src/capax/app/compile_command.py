"""`capax compile` and `capax verify` as functions: plain data in, plain data out."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from capax.app.certificate_command import short_verdicts
from capax.app.files.models import given_model, save_model
from capax.app.files.read import read_text
from capax.app.inputs import split_input
from capax.app.resolve import Resolved, resolve
from capax.compiler.check.agreement import agreement
from capax.compiler.check.causal_change import causal_change
from capax.compiler.compiled import compile_program
from capax.compiler.domain import Domain, domain
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.io.atomic import check_writable
from capax.model.model import Model
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import Program
from capax.rasp.text.interpreter import BUDGET
from capax.rasp.text.stored import stored_program

ENDING = ".safetensors"


def compile_to(
    program: str | Resolved, output: str | None, *, split: str = "chars", budget: int = BUDGET, **settings: Any
) -> dict[str, Any]:
    """What compiling a program gave: size, check and possible errors; the model goes to `output` if that is a file."""
    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    if output is not None:
        check_writable(Path(output))
    found = resolve(program, split=split, budget=max(budget, BUDGET))
    compiled = compile_program(found.program, budget=budget, **settings)
    if output is not None:
        save_model(compiled.model, output)
    origin = compiled.model.provenance
    assert origin.domain is not None, "compiled models have one"
    return {
        "program": found.name,
        "domain": origin.domain.to_json(),
        "numbers": compiled.domain.dtype,
        "size": compiled.size.to_json(),
        "check": compiled.check.to_json(),
        "certified_length": compiled.certified_length,
        "label": compiled.label,
        "about": claimed_program(compiled.domain.causal),
        "verdicts": short_verdicts(compiled.certificate),
        "errors": list(compiled.errors),
        "causal_change": origin.causal_change,
        "target": None if origin.target is None else origin.target.to_json(),
        "file": output,
    }


CERTIFY: dict[str, bool | Literal["require"]] = {"yes": True, "no": False, "require": "require"}


def read_certify(text: str) -> bool | Literal["require"]:
    """What `--certify` asks for."""
    if text not in CERTIFY:
        raise CapaxError("bad-option", f"--certify is yes, no or require, not {text}")
    return CERTIFY[text]


def read_tokens(text: str | None, file: str | None, split: str) -> list[Any]:
    """The alphabet of a command line: split from a text as inputs are, or a file with a token in each line."""
    if (text is None) == (file is None):
        raise CapaxError("bad-option", "give either --alphabet or --alphabet-file", hint="for instance: --alphabet abc")
    if text is not None:
        return split_input(text, split)
    assert file is not None
    content = read_text(Path(file))
    if file.endswith(".json"):
        return _listed(content, file)
    lines = content.removesuffix("\n").split("\n")
    return [token for number, line in enumerate(lines, 1) for token in _line(line, number, file, split)]


def _listed(content: str, file: str) -> list[Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-alphabet", f"{file} is not JSON: {error}", hint="write a list of tokens") from None
    if not isinstance(found, list):
        raise CapaxError("bad-alphabet", f"{file} has no list of tokens", hint='write a list, such as ["a", "b"]')
    return found


def _line(line: str, number: int, file: str, split: str) -> list[Any]:
    if not line:
        hint = "remove the line; a file that ends in .json can have the empty string as a token"
        raise CapaxError("bad-alphabet", f"line {number} of {file} is empty", hint=hint)
    return split_input(line, split) if split in ("ints", "floats", "json") else [line]


def verify(path: str, *, words: int, seed: int, unchecked: bool = False, budget: int | None = None) -> dict[str, Any]:
    """Whether the model in a file gives the answers of the program in the file, on about three times so many words."""
    if words < 1:
        raise CapaxError("bad-option", f"--words is a positive number, not {words}")
    model = given_model(path, unchecked=unchecked)
    program, found = recorded(model, path, budget=budget)
    assert isinstance(program.node, SOpNode)
    report = agreement(model, program.node, found, words=words, seed=seed)
    name = model.provenance.name
    shown = program.name if name is None else name
    return {
        "file": path,
        "program": shown,
        "about": claimed_program(found.causal),
        "causal_change": causal_change(program.node, found) if found.causal else None,
        "right": report.holds,
        "check": report.to_json(),
    }


def recorded(model: Model, path: str, *, budget: int | None = None) -> tuple[Program, Domain]:
    """The program that a model was made from, and the words that it was made for."""
    text, words = model.provenance.program, model.provenance.domain
    if text is None or words is None:
        hint = "models that `capax compile` writes have one; `capax explain` shows what this one has"
        raise CapaxError("no-program", f"{path} has no program to compare its answers with", hint=hint, path=path)
    # the last that the text defines is the program; the others are its parts
    program = stored_program(text, budget=budget)
    said = domain(words.alphabet, words.max_length or 0, causal=words.causal)
    # the words are those that the model answers, whatever the file says of them
    alphabet = said.alphabet if model.prefix else model.vocabulary.tokens
    found = replace(said, alphabet=alphabet, max_length=model.max_length or said.max_length)
    if not isinstance(program.node, SOpNode):
        raise CapaxError("no-program", f"the program in {path} is a selector", hint="a model computes an s-op")
    return program, found
