"""The settings of training a discrete network."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from capax.errors import CapaxError, nearest
from capax.lab.settings import Settings, within


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteSettings:
    """Everything that decides what a run gives: the task, its words, the network's parts, its training and the seed.

    Words have `min_length` to `max_length` tokens; `words` of them are learned from and `test_words` others held out.
    Each of up to `layers` layers has heads that count (`counts`), heads that pick a value (`picks`) and `tables` over
    two variables; what the readout does not need is left out of the program.

    A round trains `restarts` networks side by side for up to `steps` steps of Adam with `batch` words each; the
    temperature falls from `hot` to `cold`, and `noise` is the share of the Gumbel noise that is used. The best
    `refined` of them are then refined. Rounds end when every word that is learned from is answered right, and after
    `rounds`.
    """

    task: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    min_length: int = within(1, 1, 24)
    max_length: int = within(8, 1, 24)
    words: int = within(3_000, 10, 1_000_000)
    test_words: int = within(2_000, 1, 1_000_000)
    layers: int = within(2, 0, 8)
    counts: int = within(2, 0, 16)
    picks: int = within(1, 0, 16)
    tables: int = within(1, 0, 16)
    restarts: int = within(8, 1, 1_024)
    rounds: int = within(6, 1, 1_000)
    steps: int = within(400, 1, 1_000_000)
    batch: int = within(64, 1, 65_536)
    rate: float = within(0.1, 0.0, 100.0)
    hot: float = within(1.0, 1e-3, 100.0)
    cold: float = within(0.2, 1e-3, 100.0)
    noise: float = within(0.3, 0.0, 10.0)
    refined: int = within(3, 1, 1_024)
    seed: int = within(0, 0, 2**31 - 1)

    def __post_init__(self) -> None:
        for item in fields(self):
            value, limits = getattr(self, item.name), item.metadata.get("range")
            if limits is not None and not limits[0] <= value <= limits[1]:
                what = f"{item.name} cannot be {value}"
                raise CapaxError("bad-settings", what, hint=f"from {limits[0]:g} to {limits[1]:,.10g}")
        if self.counts + self.picks == 0 and self.layers:
            what = "a layer needs a head"
            raise CapaxError("bad-settings", what, hint="counts or picks above 0, or layers = 0")
        object.__setattr__(self, "parameters", self.data_settings().parameters)

    def data_settings(self) -> Settings:
        """The settings that the words come from."""
        return Settings(
            task=self.task,
            parameters=self.parameters,
            min_length=self.min_length,
            max_length=self.max_length,
            seed=self.seed,
        )

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data, in order."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {"parameters": dict(sorted(self.parameters.items()))}


def discrete_settings_of(values: Mapping[str, Any]) -> DiscreteSettings:
    """The settings of plain data; an unknown name is an error."""
    known = [item.name for item in fields(DiscreteSettings)]
    for name in values:
        if name not in known:
            near = nearest(str(name), known)
            hint = f"did you mean {near}?" if near else f"the settings of --discrete are {', '.join(known)}"
            raise CapaxError("bad-settings", f"a discrete network has no setting {name!r:.60}", hint=hint)
    return DiscreteSettings(**values)
