"""The labels of a checkpoint that classifies tokens."""

from capax.model.imports.checkpoint import Checkpoint
from capax.model.io.fields import is_text
from capax.model.vocabulary import Token


def labels_of(given: Checkpoint, count: int) -> tuple[Token, ...]:
    """The label of each output, as the configuration says or else as the library calls it."""
    said = given.config.get("id2label")
    if isinstance(said, dict) and len(said) == count:
        found = [said.get(str(i)) for i in range(count)]
        if all(is_text(label) for label in found):
            return tuple(str(label) for label in found)
    return tuple(f"LABEL_{i}" for i in range(count))
