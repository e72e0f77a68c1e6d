"""A model that somebody brings along: the files of a checkpoint, as names with base64, become a model.

Nothing in them is executed. Pickles are refused by their names and by their first bytes.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from capax.app.files.checkpoints import CONFIGS, ENDING, PICKLES, TOKENIZERS, WEIGHTS, any_model
from capax.app.web.request import Request
from capax.errors import CapaxError
from capax.model.model import Model

MB: Final = 1_000_000
MOST_BYTES: Final = 20 * MB
"""Bytes of all files of a checkpoint together."""
MOST_FILES: Final = 4
READ: Final = (*CONFIGS, *TOKENIZERS)
"""The files that are read beside the weights."""
CONVERT: Final = (
    "load it where you trust it, then `model.save_pretrained(FOLDER, safe_serialization=True)`, and choose "
    "model.safetensors and config.json of that folder"
)
SETTINGS: Final = "choose its config.json too, if another library has written it"
PICKLE_STARTS: Final = (b"PK\x03\x04", *(bytes((0x80, version)) for version in range(2, 6)))
"""How files begin that `torch.save` and `pickle.dump` write."""


def is_pickle(name: str) -> bool:
    """Whether a file is a pickle by its name."""
    return Path(name.lower()).suffix in PICKLES


def is_read(name: str) -> bool:
    """Whether a file of this name is a part of a checkpoint that is read."""
    return name in READ or name.endswith(ENDING)


def pickle_error(name: str) -> CapaxError:
    """The error for a file that could run code."""
    what = f"{name:.80} is a pickle, which can run code when it is read; it is not opened here"
    return CapaxError("bad-model-file", what, hint=CONVERT)


def checkpoint_model(request: Request, folder: Path) -> Model:
    """The model of the files of a request, which are written to a folder under names of ours."""
    files = _files(request.get("files"))
    weights = [name for name in files if name.endswith(ENDING)]
    if len(weights) != 1:
        what = f"a checkpoint has one {ENDING} file, not {len(weights)}"
        hint = f"choose {WEIGHTS}, and config.json if another library has written it" if not weights else None
        raise CapaxError("bad-option", what, hint=hint)
    folder.mkdir()
    for name, data in _decoded(files).items():
        (folder / (WEIGHTS if name in weights else name)).write_bytes(data)
    path = folder if any(name in CONFIGS for name in files) else folder / WEIGHTS
    try:
        return any_model(path)
    except CapaxError as error:
        raise _renamed(error, path, weights[0]) from None


def _files(value: Any) -> Mapping[str, str]:
    """The files of a request, once their names and their size are in order."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise CapaxError("bad-option", "`files` must be names with contents in base64")
    for name in value:
        if is_pickle(name):
            raise pickle_error(name)
        if not is_read(name):
            hint = f"it may have {', '.join(READ)} and a {ENDING} file"
            raise CapaxError("bad-option", f"{name!r:.80} is not a checkpoint file that capax reads", hint=hint)
    check_size(len(value), (len(text) * 3 // 4 for text in value.values()))
    return value


def check_size(count: int, sizes: Iterable[int]) -> None:
    """Refuses too many files, or too large ones."""
    total = sum(sizes)
    if count > MOST_FILES or total > MOST_BYTES:
        what = f"the checkpoint has {count} files with {total:,} bytes"
        hint = f"at most {MOST_FILES} files with {MOST_BYTES // MB} MB are read here; `capax audit` has no such limit"
        raise CapaxError("too-large", what, hint=hint)


def _decoded(files: Mapping[str, str]) -> dict[str, bytes]:
    result = {}
    for name, text in files.items():
        try:
            result[name] = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise CapaxError("bad-option", f"{name!r:.80} is not written as base64") from None
        if result[name].startswith(PICKLE_STARTS):
            raise pickle_error(name)
    return result


def _renamed(error: CapaxError, path: Path, weights: str) -> CapaxError:
    """An error with the name of the file that somebody chose in place of ours, and what to do about it."""
    alone = path.name == WEIGHTS
    what = error.what.replace(f"{path}/{WEIGHTS}", weights).replace(str(path), weights if alone else "the checkpoint")
    hint = SETTINGS if alone and "not a model of capax" in what else error.hint
    return CapaxError(error.code, what, hint=hint)
