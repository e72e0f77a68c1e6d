"""`capax site`: the playground as static files."""

from typing import Annotated, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json

GROUP: Final = ("Start", 5)


def command(
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder, or the .html file.")],
    single_file: Annotated[
        bool, typer.Option("--single-file", help="One HTML file, which opens by a double click.")
    ] = False,
    pyodide: Annotated[
        str | None,
        typer.Option("--pyodide", metavar="FILE", help="The npm package pyodide; by default npm fetches it."),
    ] = None,
    onnxruntime: Annotated[
        str | None,
        typer.Option(
            "--onnxruntime", metavar="FILE", help="The npm package onnxruntime-web; by default npm fetches it."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a site.")] = False,
    as_json: Json = False,
) -> None:
    """Write the playground as files: editor, layers, pictures and puzzles run in the reader's browser, with no server.

    Python runs there as Pyodide, compiled examples in onnxruntime-web. Other programs are compiled by `capax serve`.

    Example: capax site -o playground
    """
    from capax.app.site.build import write_site

    finish(
        write_site(output, single_file=single_file, pyodide=pyodide, onnxruntime=onnxruntime, force=force),
        as_json=as_json,
    )
