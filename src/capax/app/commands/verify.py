"""`capax verify`: Compare the answers of a compiled model with its program's. Exit code 1 if they differ."""

from typing import Annotated, Final

import typer

from capax.app.options import MODEL, Json, StoredBudget, Unchecked
from capax.app.process.output import print_json, print_text

GROUP: Final = ("Models", 3)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="verify")(verify)


def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    words: Annotated[int, typer.Option("--words", metavar="N", help="Words of each kind to try.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="Check its certificate again, or that of an exported folder.")
    ] = False,
    budget: StoredBudget = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Compare the answers of a compiled model with its program's. Exit code 1 if they differ.

    With --certificate: check again that its certificate follows from the weights. Exit code 1 if it does not.

    Example: capax verify reverse.safetensors
    """
    if certificate:
        from capax.app.certificate_command import verify_certificate
        from capax.app.show_certificate import show_rechecked

        found = verify_certificate(model, unchecked=unchecked, budget=budget)
        print_json(found) if as_json else print_text(show_rechecked(found))
        if not found["follows"]:
            raise typer.Exit(1)
        return
    from capax.app.compile_command import verify as verify_it
    from capax.app.show_compile import show_verified

    result = verify_it(model, words=words, seed=seed, unchecked=unchecked, budget=budget)
    print_json(result) if as_json else print_text(show_verified(result))
    if not result["right"]:
        raise typer.Exit(1)
