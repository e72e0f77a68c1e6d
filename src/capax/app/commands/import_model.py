"""`capax import-model`: a model from a folder of another library."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, ModelOutput, check_output

if TYPE_CHECKING:
    from capax.model.model import Model
    from capax.model.provenance import ImportSource

GROUP: Final = ("Models", 7)


def command(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder of another library, with config.json and model.safetensors.")
    ],
    output: ModelOutput = None,
    as_json: Json = False,
) -> None:
    """Import a GPT-2, BERT, Llama, Mistral, Qwen2, nanoGPT or TransformerLens model. Without -o it only reports.

    Example: capax import-model gpt2-tiny -o tiny.safetensors
    """
    from capax.app.files.checkpoints import import_model
    from capax.app.files.models import save_model

    check_output(output)
    model = import_model(directory)
    if output is not None:
        save_model(model, output)
    finish(ImportedModel(directory, model, output), as_json=as_json, written=output)


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A model from elsewhere: the folder it was in, and the file it went to if any."""

    directory: str
    model: "Model"
    file: str | None

    @property
    def source(self) -> "ImportSource":
        """Where the model came from."""
        assert self.model.provenance.source is not None, "imported models have one"
        return self.model.provenance.source

    def to_json(self) -> dict[str, Any]:
        """Where it is from, its size and its tokens."""
        model = self.model
        return {
            "directory": self.directory,
            **self.source.to_json(),
            "numbers": model.numbers,
            "tokens": len(model.vocabulary),
            "answers": model.decoding.outputs,
            "max_length": model.max_length,
            "size": model.size.to_json(),
            "file": self.file,
        }

    def render(self) -> str:
        """What it reads and answers, and the table of sizes."""
        model = self.model
        lines = [
            f"{self.directory}: {self.source.architecture}, {model.numbers}",
            "",
            f"reads      words of up to {model.max_length:,} of {len(model.vocabulary):,} tokens",
            f"answers    the highest of {model.decoding.outputs:,}",
            "",
            str(model.size),
        ]
        return "\n".join(lines)
