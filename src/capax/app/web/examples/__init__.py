"""The trained models that the page of audits starts from; `models.toml` has what each is about."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class ExampleModel:
    """A trained model: its name, what it is held against first, and what else it can be held against."""

    name: str
    title: str
    against: str
    others: list[str]
    longest: int
    """The longest words of its first audit."""

    @property
    def path(self) -> Path:
        """The file of the model."""
        return Path(__file__).parent / f"{self.name}.safetensors"


EXAMPLES: Final = {
    table["name"]: ExampleModel(**table)
    for table in tomllib.loads((Path(__file__).parent / "models.toml").read_text("utf-8"))["models"]
}
