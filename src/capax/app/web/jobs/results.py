"""The jobs about theorems, and the prompts that fool a model: sizes beside bounds, and pictures."""

from pathlib import Path
from typing import Final

from capax.app.commands.fool import run_fool
from capax.app.commands.theorem import break_theorem, run_theorem
from capax.app.files.models import save_model
from capax.app.web import request as read
from capax.app.web.jobs.models import attention
from capax.app.web.request import Reply, Request
from capax.errors import CapaxError
from capax.limits.witnesses.models.toy_model import ToySizes, toy_model

SECONDS: Final = 12.0
"""How long a fooling input is looked for."""
NO_FILE: Final = ("bad-model", "too-large")


def theorem(request: Request, folder: str | None) -> Reply:
    """What `capax theorem NAME` gives, with the attention of the model on a word drawn where it can be."""
    assert folder is not None
    name, path = read.text(request, "name", 60), Path(folder) / "model.safetensors"
    given = read.parameters(request)
    try:
        result = run_theorem(name, given, str(path))
    except CapaxError as error:
        if error.code not in NO_FILE:
            raise
        result = run_theorem(name, given)  # a model that no file can hold: its maps are arbitrary functions
    drawn = attention(str(path), None) if path.exists() else {"word": None, "flow": None, "note": "not kept in a file"}
    return {"theorem": result.to_json() | {"file": None}, "attention": drawn}


def broken(request: Request, folder: str | None) -> Reply:
    """What `capax theorem NAME --break` gives."""
    return break_theorem(read.text(request, "name", 60), read.parameters(request)).to_json()


def fool(request: Request, folder: str | None) -> Reply:
    """What `capax make-model` and then `capax fool` give: a small model, and inputs that it gets wrong."""
    assert folder is not None
    task = read.text(request, "task", 60)
    n, heads = read.whole(request, "n", 1, 64, 8), read.whole(request, "heads", 1, 8, 1)
    sizes = ToySizes(n, heads=heads, dim=read.whole(request, "dim", 1, 8, 2))
    seed = read.whole(request, "seed", 0, 2**31, 0)
    path = Path(folder) / "model.safetensors"
    save_model(toy_model(task, "random", sizes, seed), str(path))
    return run_fool(str(path), task, {}, seconds=SECONDS, seed=seed).to_json() | {"model": None}
