"""What the docstring of a catalogue's file says: a title, then paragraphs that start with labels."""

import sys
from collections.abc import Sequence
from types import ModuleType


def paragraphs(doc: str | None, labels: Sequence[str]) -> tuple[str, ...]:
    """The title, without its full stop, and a text for each label, such as `Statement: `; empty where there is none."""
    if doc is None:
        raise RuntimeError("statements are docstrings, which python -OO removes")
    title, body = doc.strip().split("\n\n", 1)
    texts = dict.fromkeys(labels, "")
    label = None
    for line in body.splitlines():
        label = next((one for one in labels if line.startswith(one)), label)
        assert label is not None, f"the docstring of {title!r} has no paragraph {labels[0]!r}"
        texts[label] += " " + line.removeprefix(label)
    return (title.removesuffix("."), *(" ".join(text.split()) for text in texts.values()))


def entry_of(module: str) -> tuple[ModuleType, str]:
    """The file of a catalogue, by the name of its module, and the name of its entry: `match-two` for `match_two.py`."""
    return sys.modules[module], module.rpartition(".")[2].replace("_", "-")
