"""The jobs about models: a program compiled, drawn beside its selectors, and exported."""

import base64
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from capax.app.commands.compile import compile_to
from capax.app.commands.explain import explain
from capax.app.commands.export import export_file
from capax.app.files.models import load_model
from capax.app.inputs import split_input
from capax.app.web import request as read
from capax.app.web.jobs.editor import program_of
from capax.app.web.jobs.flow_json import flow_json
from capax.app.web.request import Reply, Request
from capax.compiler.check.agreement import meaning
from capax.draw.subjects.model_view import example_word, model_flow
from capax.draw.view.rows import show
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.fast import evaluate

if TYPE_CHECKING:
    from capax.compiler.compiled import Compiled

MOST_LETTERS: Final = 400
"""Characters of an alphabet."""
LONGEST: Final = 200
"""The longest words that models are compiled for here."""
EXPORTS: Final = ("torch", "onnx")
MOST_MODEL: Final = 24_000_000
"""Characters of a model, as text, that comes back to be exported."""


def compile_program(request: Request, folder: str | None) -> Reply:
    """What `capax compile` gives, with the file of the model as text and its attention on the input drawn."""
    assert folder is not None
    alphabet = split_input(read.text(request, "alphabet", MOST_LETTERS), read.text(request, "split", 10, "chars"))
    path = Path(folder) / "model.safetensors"
    result = compile_to(
        program_of(request),
        str(path),
        alphabet=alphabet,
        max_length=read.whole(request, "max_length", 1, LONGEST),
        causal=read.truth(request, "causal"),
        dtype=read.text(request, "dtype", 10, "float32"),
    )
    word = read.tokens(request) if request.get("word") else None
    return {
        "expected": _expected(result.compiled, word),
        "compiled": result.to_json() | {"file": None},
        "model": base64.b64encode(path.read_bytes()).decode("ascii"),
        "explanation": explain(str(path)).to_json(),
        "attention": attention(str(path), word),
    }


def _expected(compiled: "Compiled", word: list[Any] | None) -> Reply | None:
    """What the interpreter says on a word, as pictures show it, and of which program: the one that is claimed."""
    program = compiled.program.node
    if not word or compiled.pads is not None or not isinstance(program, SOpNode):
        return None
    try:
        values: Any = evaluate(meaning(program, compiled.domain), word)
    except CapaxError:
        return None
    return {"about": claimed_program(compiled.domain.causal), "values": list(map(show, values))}


def attention(path: str, word: list[Any] | None) -> Reply:
    """The attention of a model on a word, or on one of its own tokens if it cannot read that, as plain data."""
    model = load_model(path)
    note = None
    if word is not None:
        try:
            return {"word": word, "flow": flow_json(model_flow(model, word, title="model")), "note": None}
        except CapaxError as error:
            note = error.what
    try:
        chosen = example_word(model)
        return {"word": chosen, "flow": flow_json(model_flow(model, chosen, title="model")), "note": note}
    except CapaxError as error:
        return {"word": None, "flow": None, "note": error.what}


def export(request: Request, folder: str | None) -> Reply:
    """What `capax export` gives, with the folder as an archive."""
    assert folder is not None
    to = read.text(request, "to", 20)
    if to not in EXPORTS:
        raise CapaxError("bad-option", f"models are exported here to {' and '.join(EXPORTS)}, not to {to}")
    path, target = Path(folder) / "model.safetensors", Path(folder) / f"model-{to}"
    path.write_bytes(base64.b64decode(read.text(request, "model", MOST_MODEL), validate=True))
    result = export_file(str(path), to, str(target), words=50).to_json()
    result["model"], result["directory"] = path.name, target.name
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for name in result["files"]:
            files.write(target / name, f"{target.name}/{name}")
    return {"export": result, "archive": base64.b64encode(archive.getvalue()).decode("ascii")}
