"""The settings of a run, whose hash is the run's identity."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from capax import tasks
from capax.errors import CapaxError, nearest
from capax.model.parts import ACTIVATIONS
from capax.notation.rounds import ROUNDS
from capax.tasks.base.training import IGNORE, Training

INTEGER_LAYER = "integer-layer"
"""The kind of network that is one attention layer in exact integers."""
ONE_ROUND = "1"
"""What `rounds` is for networks without a loop."""


def one_of(*words: str, default: str | None = None, later: bool = False) -> Any:
    """A setting that is one of a few words, the first one by default; `later`: see `Settings.key`."""
    return field(default=default or words[0], metadata={"choices": words, "later": later})


def within(default: float, least: float, most: float, later: bool = False) -> Any:
    """A setting that is a number, with the least and the most that it may be; `later`: see `Settings.key`."""
    return field(default=default, metadata={"range": (least, most), "later": later})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that decides what a run gives: the task, its words, the network, its training and the seed.

    Words have `min_length` to `max_length` tokens in training, and up to `long_length` in the test of longer words
    (0: none). `marks` puts a token before (bos) or after (eos) each word. `words` is the size of the training set; 0
    draws new words at every step. A step has words of one length, or `batch` words of each of `lengths` lengths, which
    are the next ones of the training set, or drawn in proportion to n ^ `length_power`: above 0, long words are seen
    more often than short ones. In the first `growth` of the steps the longest words that are drawn grow from the least
    length to `max_length`, by as much at each. With `train_from` training has words from this length on, which may be
    below the `min_length` of the test.

    A transformer has the sublayers of `order`, a text of s (attention) and f (feed-forward), which is sf for each of
    its `layers` if it is empty; with `shared` all attention sublayers share one set of weights, and all feed-forward
    ones. With `rounds` other than 1 these sublayers are a block that is run that often, ceil(log2 n) times on a word of
    n tokens for instance. `hidden` is the width of feed-forward stages (0: twice the width), `activation` what stands
    between their maps; `attention` is pairs or triples (third order). The slowest pair of sinusoidal positions turns
    about `wave_base` times slower than the fastest. A net of kind lstm, gru, rnn or mlp has `layers` of `width`;
    `both_ways` lets a recurrent one read both ways. An integer-layer is one layer of exact integers, with heads of
    `head_dim` dimensions (0: width / heads), values of `value_bits` bits and attention weights of `weight_bits`.

    Training takes up to `steps` steps of AdamW, whose second moment has the decay `beta2`, with `batch` words each, and
    stops early when `patience` checks in a row, one each `check_every` steps, find an accuracy of `stop_at` (above 1:
    never; for vectors, one less the error; distributions never stop early). `supervision` is the weight of the squared
    error between the heads and the program's selectors; with `watch_heads` each check compares them. `start` is random,
    or the compiled program, or random weights in the compiled program's shape. `start_noise` is added to the compiled
    program's weights, relative to the size of those that are not 0 in each tensor; where `trained` is nonzero, weights
    that are 0 at the start stay 0. With `certify` each check says up to which length the network is still proved to
    compute the program.
    """

    task: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    min_length: int = within(1, 1, 10_000)
    max_length: int = within(12, 1, 10_000)
    long_length: int = within(0, 0, 10_000)
    marks: str = one_of("none", "bos", "eos", "both")
    words: int = within(0, 0, 10_000_000)
    net: str = one_of("transformer", "lstm", "gru", "rnn", "mlp", INTEGER_LAYER)
    layers: int = within(2, 0, 64)
    heads: int = within(1, 1, 256)
    width: int = within(64, 1, 8_192)
    hidden: int = within(0, 0, 65_536)
    head_dim: int = within(0, 0, 64, later=True)
    weight_bits: int = within(4, 1, 12, later=True)
    value_bits: int = within(4, 1, 8, later=True)
    activation: str = one_of(*ACTIVATIONS, later=True)
    norm: str = one_of("pre", "post", "none")
    positions: str = one_of("sinusoidal", "learned", "none")
    wave_base: float = within(10_000.0, 1.0, 1e9, later=True)
    order: str = ""
    shared: bool = False
    rounds: str = one_of(ONE_ROUND, *map(str, ROUNDS), later=True)
    attention: str = one_of("pairs", "triples")
    mask: str = one_of("none", "causal")
    both_ways: bool = True
    start: str = one_of("random", "compiled", "compiled-shape")
    start_noise: float = within(0.0, 0.0, 10.0, later=True)
    trained: str = one_of("all", "nonzero", later=True)
    certify: bool = field(default=False, metadata={"later": True})
    steps: int = within(4_000, 0, 100_000_000)
    batch: int = within(48, 1, 65_536)
    lengths: int = within(1, 1, 1_024, later=True)
    length_power: float = within(0.0, 0.0, 8.0, later=True)
    growth: float = within(0.0, 0.0, 1.0, later=True)
    train_from: int = within(0, 0, 10_000, later=True)
    rate: float = within(3e-3, 0.0, 100.0)
    warmup: int = within(100, 0, 100_000_000)
    schedule: str = one_of("constant", "cosine", "exponential", default="cosine")
    gamma: float = within(0.98, 0.0, 1.0)
    decay: float = within(0.01, 0.0, 100.0)
    clip: float = within(1.0, 0.0, 1e9)
    beta2: float = within(0.999, 0.0, 0.999999, later=True)
    supervision: float = within(0.0, 0.0, 1e9)
    watch_heads: bool = field(default=False, metadata={"later": True})
    check_every: int = within(200, 1, 100_000_000)
    check_words: int = within(256, 1, 1_000_000)
    test_words: int = within(1_000, 1, 1_000_000)
    stop_at: float = within(1.0, 0.0, 2.0)
    patience: int = within(3, 1, 1_000_000)
    seed: int = within(0, 0, 2**31 - 1)

    def __post_init__(self) -> None:
        training = self.training
        _check_types(self)
        object.__setattr__(self, "parameters", MappingProxyType(training.settle(self.parameters)))
        if training.causal(self.parameters):
            object.__setattr__(self, "mask", "causal")
        _check(self, training)

    @property
    def training(self) -> Training:
        """How networks are trained on the task."""
        return tasks.training(self.task)

    @property
    def sublayers(self) -> str:
        """The order of the sublayers: s attention, f feed-forward."""
        return self.order or "sf" * self.layers

    @property
    def longest(self) -> int:
        """The length of the longest words, marks not counted."""
        return max(self.max_length, self.long_length)

    @property
    def has_bos(self) -> bool:
        """Whether a BOS token precedes every word."""
        return self.marks in ("bos", "both")

    @property
    def has_eos(self) -> bool:
        """Whether an EOS token follows every word."""
        return self.marks in ("eos", "both")

    def __copy__(self) -> "Settings":
        return self

    def __deepcopy__(self, memo: object) -> "Settings":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return settings_of, (self.to_json(),)

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data, all of them, in order; a parameter that came later if it is not the default.

        Stored results have no such parameter, and are those of its default.
        """
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        absent = {p.name for p in self.training.parameters if p.later and self.parameters[p.name] == p.default}
        return values | {"parameters": {k: v for k, v in sorted(self.parameters.items()) if k not in absent}}

    def key(self) -> str:
        """The identity of the run: a digest of the settings in canonical JSON.

        Settings that came `later`, when there were stored results, count where they are not the default.
        """
        values = self.to_json()
        for item in fields(self):
            if item.metadata.get("later") and values[item.name] == item.default:
                del values[item.name]
        text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings of plain data; an unknown name is an error."""
    known = [item.name for item in fields(Settings)]
    for name in values:
        if name not in known:
            near = nearest(str(name), known)
            hint = f"did you mean {near}?" if near else f"the settings are {', '.join(known)}"
            raise CapaxError("bad-settings", f"there is no setting {name!r:.60}", hint=hint)
    if "task" not in values:
        raise CapaxError(
            "bad-settings", "the settings name no task", hint=f"task = one of {', '.join(tasks.trainable())}"
        )
    return Settings(**values)


def _check_types(settings: Settings) -> None:
    """Makes floats of whole numbers where a setting is a float, and refuses other types."""
    for item in fields(Settings):
        value = getattr(settings, item.name)
        if item.name == "parameters":
            right = isinstance(value, Mapping)
        elif item.type is float:
            right = type(value) in (int, float)
            if right:
                object.__setattr__(settings, item.name, float(value))
        else:
            right = type(value) is item.type
        if not right:
            kind = getattr(item.type, "__name__", "mapping")
            raise CapaxError("bad-settings", f"{item.name} must be of type {kind}, not {value!r:.60}")


def _check(settings: Settings, training: Training) -> None:
    for item in fields(settings):
        value, choices = getattr(settings, item.name), item.metadata.get("choices")
        if choices and value not in choices:
            what = f"{item.name} cannot be {value!r:.60}"
            raise CapaxError("bad-settings", what, hint=f"one of {', '.join(choices)}")
    for item in fields(settings):
        value, (least, most) = getattr(settings, item.name), item.metadata.get("range", (None, None))
        if least is not None and not least <= value <= most:
            what = f"{item.name} cannot be {value}"
            raise CapaxError("bad-settings", what, hint=f"from {least:g} to {most:,.10g}")
    for conflict, what, hint in _all_conflicts(settings, training):
        if conflict:
            raise CapaxError("bad-settings", what, hint=hint)


def _all_conflicts(at: Settings, training: Training) -> Iterator[tuple[bool, str, str]]:
    for conflicts in (_conflicts, _start_conflicts, _integer_conflicts):
        yield from conflicts(at, training)


def _conflicts(at: Settings, training: Training) -> tuple[tuple[bool, str, str], ...]:
    """Settings that may conflict: whether they do, what is wrong, and a hint; the first conflict is reported."""
    transformer = at.net == "transformer"
    one_length = at.min_length == at.max_length and not (at.long_length or at.train_from) and at.marks == "none"
    has_targets = bool(training.attention_targets(at.parameters, at.has_bos))
    return (
        (bool(set(at.order) - set("sf")), f"the order {at.order!r:.60} has letters besides s and f", "as in sfsf"),
        (
            at.min_length > at.max_length,
            f"min_length {at.min_length} is above max_length {at.max_length}",
            f"min_length up to {at.max_length}",
        ),
        (
            0 < at.long_length <= at.max_length,
            f"long_length {at.long_length} is not above max_length {at.max_length}",
            f"long_length above {at.max_length}, or 0",
        ),
        (
            training.kind == "vectors" and not one_length,
            f"words of {at.task} have one length, and no marks: positions are named by features",
            "min_length = max_length, long_length = 0, marks = none",
        ),
        (
            at.net == "mlp" and at.mask == "causal",
            "a fully connected network reads all positions at once and cannot be causal",
            "net = transformer, lstm or gru",
        ),
        (
            at.activation != "relu" and not (transformer and at.start == "random"),
            f"the activation {at.activation} goes with a transformer that starts from random weights",
            "activation = relu",
        ),
        (
            bool(at.supervision) and not (transformer and has_targets),
            f"supervision needs a transformer and a task whose program's heads are known, unlike {at.task}",
            "supervision = 0",
        ),
        (
            at.attention == "triples" and bool(at.supervision or at.watch_heads),
            "heads of third order cannot be supervised, nor compared with a program's",
            "leave out supervision and watch_heads",
        ),
        (
            at.watch_heads and not (transformer and has_targets and at.start == "random"),
            f"watch_heads needs a transformer and a task whose program's heads are known, unlike {at.task}",
            "leave watch_heads out",
        ),
        (
            at.rounds != ONE_ROUND and not (transformer and at.start == "random" and at.marks == "none"),
            f"{at.rounds} rounds go with a transformer that starts from random weights and reads words without marks",
            "net = transformer, start = random, marks = none",
        ),
        (
            at.rounds != ONE_ROUND and bool(at.supervision),
            "heads of a block that is run in rounds cannot be supervised",
            "supervision = 0",
        ),
        (
            (transformer or (at.net == INTEGER_LAYER and not at.head_dim)) and at.width % at.heads != 0,
            f"a width of {at.width} cannot be split among {at.heads} heads",
            "make the width a multiple of heads",
        ),
    )


def _start_conflicts(at: Settings, training: Training) -> tuple[tuple[bool, str, str], ...]:
    """The same for where training starts: from which weights, and from which words."""
    has_program = training.program(at.parameters, at.has_bos) is not None
    return (
        (
            at.train_from > at.min_length,
            f"train_from {at.train_from} is above min_length {at.min_length}",
            f"train_from up to {at.min_length}, or 0",
        ),
        (
            at.start != "random" and not (at.net == "transformer" and has_program),
            f"there is no program to compile for {at.task} with these settings",
            "start = random, or marks = none: a compiled model needs no BOS token",
        ),
        (
            at.start != "compiled" and bool(at.start_noise or at.trained != "all"),
            "start_noise and trained are about the weights of a compiled program",
            "start = compiled",
        ),
        (
            at.certify and (at.start == "random" or training.kind != "classes" or at.marks != "none"),
            "what is certified is a compiled program's model, and what it is trained to",
            "start = compiled or compiled-shape, marks = none",
        ),
        (
            bool(at.words) and (at.length_power > 0 or at.growth > 0 or at.train_from > 0),
            "a training set of `words` words is read epoch by epoch, all lengths alike",
            "words = 0 draws new words at every step; or leave out length_power, growth and train_from",
        ),
    )


def _integer_conflicts(at: Settings, training: Training) -> tuple[tuple[bool, str, str], ...]:
    """The same for a layer in exact integers, and for the settings that only it has."""
    if at.net != INTEGER_LAYER:
        own = at.head_dim != 0 or (at.weight_bits, at.value_bits) != (4, 4)
        what = "head_dim, weight_bits and value_bits are settings of a layer in integers"
        return ((own, what, f"net = {INTEGER_LAYER}"),)
    one_length = at.min_length == at.max_length and not (at.long_length or at.train_from)
    plain = at.marks == "none" and at.start == "random" and at.attention == "pairs" and not at.supervision
    return (
        (at.layers != 1, f"a layer in integers is one layer, not {at.layers}", "layers = 1"),
        (
            not one_length or at.mask == "causal" or not plain,
            "a layer in integers reads whole words of one length, without marks, from random weights",
            "min_length = max_length, long_length = 0; leave out marks, mask, start, attention and supervision",
        ),
        (
            training.kind != "classes" or _answers_before_the_last(at, training),
            f"a layer in integers is read at the last position, and {at.task} has other answers",
            "task = composition, for instance",
        ),
        (
            (at.head_dim or at.width // at.heads) > 64,
            "a head of more than 64 dimensions has scores that do not fit",
            "head_dim up to 64",
        ),
    )


def _answers_before_the_last(at: Settings, training: Training) -> bool:
    """Whether a word of the task has an answer before its last position."""
    batch = training.batch(np.random.default_rng(at.seed), 4, at.max_length, at.parameters)
    return bool((batch.answers[:, :-1] != IGNORE).any())


def describe(settings: Settings) -> dict[str, object]:
    """The settings that differ from the defaults."""
    plain = {item.name: item.default for item in fields(Settings)}
    return {name: value for name, value in settings.to_json().items() if name == "task" or value != plain.get(name)}
