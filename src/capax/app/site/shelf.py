"""Compiled models that a site brings along: the programs of the gallery, each as an ONNX graph for onnxruntime-web.

The graph of a model has its attention as outputs, so that the page draws both for any word that the model reads.
"""

import string
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any, Final

from capax.app.files.models import load_model
from capax.app.web.gallery import GALLERY, GalleryProgram
from capax.app.web.jobs.editor import evaluate
from capax.app.web.jobs.models import compile_program
from capax.display import parts
from capax.draw.view.rows import show
from capax.model.export.target import need
from capax.model.vocabulary import Classes

FIXED: Final = ("dyck", "parity")
"""Programs that are about their own letters alone; the models of the others read all small letters, too."""


@dataclass(frozen=True, slots=True)
class ShelfModel:
    """A compiled program: its text, its graph, what its tokens and classes are, and what compiling it gave."""

    name: str
    text: str
    program: str
    longest: int
    tokens: tuple[str, ...]
    classes: tuple[str, ...]
    graph: bytes
    reply: dict[str, Any]

    @property
    def file(self) -> str:
        """Where the site has the graph."""
        return f"models/{self.name}.onnx"

    def to_json(self) -> dict[str, Any]:
        """All but the graph as plain data, with the name of its file."""
        return parts(self, "name", "text", "program", "longest", "tokens", "classes", "reply", "file")


@cache
def shelf() -> tuple[ShelfModel, ...]:
    """The models, in the order of the gallery."""
    need("onnx", ("onnx",))
    return tuple(_compiled(program) for program in GALLERY)


def _compiled(program: GalleryProgram) -> ShelfModel:
    from capax.model.export.onnx.graph.layers import onnx_model
    from capax.model.export.onnx.target import refused

    text = program.text.strip() + "\n"
    name: str = evaluate({"text": text, "word": program.word}, None)["run"]["program"]
    more = "" if program.name in FIXED else string.ascii_lowercase
    alphabet = "".join(dict.fromkeys(program.alphabet + more))
    request = {"text": text, "name": name, "word": program.word, "alphabet": alphabet, "max_length": program.longest}
    with TemporaryDirectory() as folder:
        reply = compile_program(request, folder)
        model = load_model(f"{folder}/model.safetensors")
    assert refused(model) is None, program.name
    assert not model.prefix, program.name
    assert isinstance(model.decoding, Classes), program.name
    return ShelfModel(
        name=program.name,
        text=text,
        program=name,
        longest=program.longest,
        tokens=tuple(map(str, model.vocabulary.tokens)),
        classes=tuple(map(show, model.decoding.values)),
        graph=onnx_model(model, {}, patterns=True).SerializeToString(deterministic=True),
        reply=reply,
    )
