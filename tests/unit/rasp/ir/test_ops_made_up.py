"""An operation is one row of the op table: made-up rows, added to a copy of capax, work on every surface."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import capax

ROWS = """\
        Op("mirror", FunctionCall(("x",)), lambda x: 3 - x, "mirror(x) is 3 minus x.", result="number"),
        Op("@", Infix(Precedence.FACTOR), lambda a, b: 10 * a + b, result="number"),
        Op("middle", FunctionCall(("a", "b", "c")), lambda a, b, c: sorted((a, b, c))[1], "The median of three."),
"""
BEFORE = '        Op("where", Choice(),'

SCRIPT = '''
import json

import capax
from capax import indices, library
from capax.app.highlight import RaspLexer
from capax.app.repl.classic.names import classic_name
from capax.app.repl.help import help_text
from capax.app.repl.prompt import _PIECES, _style
from capax.app.session import Session
from capax.app.web.completion import names
from capax.errors import CapaxError, Source
from capax.rasp.analysis.dialects import check_all
from capax.rasp.analysis.schedule import schedule
from capax.rasp.analysis.value_set import value_set
from capax.rasp.python.program import Program
from capax.rasp.text.reformat import format_text
from capax.rasp.text.parser import parse

TEXT = """
pairs = selector_width(select(tokens, tokens, ==)) @ indices;
call = mirror(indices % 4) + 1;
sign = (indices % 3) @ 2 * indices;
both = mirror(call @ sign);
three = middle(indices, selector_width(select(tokens, tokens, ==)), length);
"""


def error(run):
    try:
        run()
    except CapaxError as wrong:
        return f"{wrong.code}: {wrong.what}; {wrong.hint}"


results = {}
for name in ("pairs", "call", "sign", "both", "three"):
    program = Program.from_text(TEXT, name)
    compiled = capax.compile(program, alphabet="ab", max_length=5)
    results[name] = {
        "str": str(program),
        "run": list(program("abbab")),
        "batch": [list(values) for values in program.batch(["a", "abbab"])],
        "text": Program.from_text(program.to_text()).node is program.node,
        "json": Program.from_json(json.loads(json.dumps(program.to_json()))).node is program.node,
        "layers": len(schedule(program).layers),
        "compiled": compiled.model("abbab"),
        "certified": compiled.certificate is not None,
        "dialects": [verdict.inside for verdict in check_all(program)],
    }
results["classic"] = classic_name(library.mirror(indices) + 1)
results["python"] = list(library.mirror(indices)("abc"))
results["values"] = value_set(Program.from_text('mirror((1 if tokens == "a" else 2) @ 1)').node)
results["help"] = help_text(Session(), "mirror")
results["completion"] = [entry for entry in names() if entry["label"] == "mirror"]
results["colours"] = [(str(kind), text) for kind, text in RaspLexer().get_tokens("mirror(a @ 1)") if text.strip()]
results["prompt"] = [_style(piece) for piece in _PIECES.finditer("mirror@")]
results["formatted"] = format_text(parse(Source("text", "x=mirror( a@b%c );")))
results["shadowed"] = list(Program.from_text("def mirror(x) { return x + 100; } mirror(indices)")("ab"))
results["types"] = error(lambda: library.mirror(capax.tokens)("ab"))
results["arguments"] = error(lambda: Program.from_text("mirror(1, 2)"))
results["selector"] = error(lambda: Program.from_text("mirror(full_s)"))
results["mistyped"] = error(lambda: Program.from_text("miror(indices)"))
print(json.dumps(results))
'''


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script prints with a copy of capax that has the made-up rows."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(Path(capax.__file__).parent, folder / "capax", ignore=shutil.ignore_patterns("__pycache__"))
    table = folder / "capax/rasp/ir/ops.py"
    text = table.read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    table.write_text(text.replace(BEFORE, ROWS + BEFORE), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


VALUES = {
    "pairs": [20, 31, 32, 23, 34],
    "call": [4, 3, 2, 1, 4],
    "sign": [0, 12, 44, 6, 48],
    "both": [-37, -39, -61, -13, -85],
    "three": [2, 3, 3, 3, 4],
}
TEXTS = {
    "pairs": "selector_width(select(tokens, tokens, ==)) @ indices",
    "call": "mirror(indices % 4) + 1",
    "sign": "((indices % 3) @ 2) * indices",
    "both": "mirror((mirror(indices % 4) + 1) @ (((indices % 3) @ 2) * indices))",
    "three": "middle(indices, selector_width(select(tokens, tokens, ==)), length)",
}


@pytest.mark.parametrize("name", VALUES)
def test_a_program_with_the_op_runs_prints_and_compiles(results: dict[str, Any], name: str) -> None:
    program, values = results[name], VALUES[name]
    assert program["str"] == TEXTS[name]
    assert program["run"] == program["batch"][1] == program["compiled"] == values
    assert program["batch"][0] == [{"pairs": 10, "three": 1}.get(name, values[0])]
    assert program["text"]
    assert program["json"]
    assert program["layers"] == (2 if name in ("pairs", "three") else 1)
    assert program["dialects"] == [False, False, False]


def test_the_op_in_python_and_in_the_analyses(results: dict[str, Any]) -> None:
    assert results["python"] == [3, 2, 1]
    assert results["values"] == [-8, -18]
    assert results["classic"] == "( mirror(indices) + 1 )"


def test_the_op_in_help_completion_and_colours(results: dict[str, Any]) -> None:
    assert results["help"] == "mirror(x)   (built in)\n  mirror(x) is 3 minus x."
    (entry,) = results["completion"]
    assert (entry["type"], entry["info"]) == ("function", "mirror(x) is 3 minus x.")
    assert ["Token.Name.Builtin", "mirror"] in results["colours"]
    assert ["Token.Operator", "@"] in results["colours"]
    assert results["prompt"] == ["class:keyword", "class:operator"]


def test_the_op_in_texts_and_their_errors(results: dict[str, Any]) -> None:
    assert results["formatted"] == "x = mirror((a @ b) % c);\n"
    assert results["shadowed"] == [100, 101]
    assert results["types"].startswith('type-mismatch: cannot compute mirror("a"): a string')
    assert results["arguments"].startswith("argument-count: `mirror` takes 1 argument, but got 2")
    assert results["selector"].startswith("selector-operator: selectors have no `mirror`")
    assert results["mistyped"].endswith("did you mean `mirror`?")
