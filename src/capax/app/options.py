"""Options that several commands of the command line have."""

from typing import Annotated, TypeAlias

import typer

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]
ModelOutput: TypeAlias = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")
]
Unchecked: TypeAlias = Annotated[
    bool, typer.Option("--unchecked", help="Read a model file though its digest is not that of its bytes.")
]
"""For commands that read a model file: goes to `model_files.given_model`."""
StoredBudget: TypeAlias = Annotated[
    int,
    typer.Option(
        "--budget", metavar="N", help="How much work the program in the file may take to build, in units of 100 steps."
    ),
]
