"""The task that a model claims, with the sizes that say where the parts of an input stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from capax.errors import CapaxError, nearest
from capax.model.model import Model
from capax.model.numbers import Integer, parse

LAYOUTS: Final[dict[str, dict[str, str]]] = {
    "composition": {"n": "a prompt is f(0) ... f(n-1) g(0) ... g(n-1) x, read at its last position"},
    "sparse-averaging": {
        "q": "a word has 2q + 1 tokens such as `+e1 0,3`: a sign and the q positions that are named, counted from 0; "
        "the mean is read at its last position"
    },
    "match3": {
        "n": "a word has n tokens of Alice, n of Bob, and the token 1, at whose position the answer is read",
        "modulus": "the modulus M, at least 8n; tokens are 1 ... M",
    },
    "parity": {"n": "a word has n tokens 0 and 1; the answer, 0 or 1, is read at its last position"},
    "sequential-composition": {
        "n": "a prompt is z_L ... z_1 i_0 w_1 ... w_(L-1), where z_1 has n entries, read at its last position",
        "queries": "n_1,n_2,...: how many values each of the L - 1 queries w has; n_1xn_2x... if one token has all",
    },
    "triangle-graph": {"n": "a word is the n rows of an adjacency matrix, as texts of n bits"},
}
"""For each task the sizes that a layout has, and what they say."""

LEAST: Final = {"composition": {"n": 2}, "triangle-graph": {"n": 3}}
TEXTS: Final = ("queries",)
"""The sizes that are lists of numbers, written as texts."""

TRIED: Final = ("integer:8,4,4", "integer:12,6,6", "integer:16,8,8", "integer:20,4,16")
"""The integers that are tried for a model that computes in others, before one of them is recommended."""


@dataclass(frozen=True, slots=True)
class TaskClaim:
    """A task with its sizes."""

    task: str
    sizes: Mapping[str, int | str]

    def __getitem__(self, name: str) -> int:
        value = self.sizes[name]
        assert isinstance(value, int), f"{name} is a number"
        return value

    def to_json(self) -> dict[str, Any]:
        """The claim as plain data, as it stands in a model's file and in witnesses."""
        return {"task": self.task, **self.sizes}


def claim_of(model: Model, task: str, given: Mapping[str, Any] | None = None) -> TaskClaim:
    """The sizes of a task that a model declares, or that are given beside it; what is missing is refused."""
    if task not in LAYOUTS:
        near = nearest(task, list(LAYOUTS))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(LAYOUTS)}"
        raise CapaxError("bad-option", f"there is no layout for a task {task!r:.60}", hint=hint)
    layout = LAYOUTS[task]
    known = dict(given or {})
    for name in known:
        if name not in layout:
            raise CapaxError("bad-option", f"the layout of {task} has no {name!r:.60}", hint=f"it has {_list(layout)}")
    declared = model.provenance.layout
    if declared is not None:
        if declared.get("task") != task:
            raise _contradicted(f"the model declares the layout of {declared.get('task')!s:.60}, not of {task}")
        own = {name: declared[name] for name in layout if name in declared}
        for name in own.keys() & known.keys():
            if _size(task, name, known[name]) != _size(task, name, own[name]):
                raise _contradicted(f"the model declares {name} = {own[name]!s:.60}, and {known[name]!s:.60} was given")
        known = own | known
    missing = [name for name in layout if name not in known]
    if missing:
        raise _undeclared(task, missing)
    return TaskClaim(task, {name: _size(task, name, known[name]) for name in layout})


def _contradicted(what: str) -> CapaxError:
    """A model is asked about what it claims alone: anything else would be no witness against it."""
    hint = "ask about what it declares, or save it with another layout: Provenance(layout={...}) in Python"
    return CapaxError("no-layout", what, hint=hint)


def _list(names: Any) -> str:
    return ", ".join(names)


def _undeclared(task: str, missing: list[str]) -> CapaxError:
    layout = LAYOUTS[task]
    options = " ".join(f"--{name} NUMBER" for name in layout)
    fact = ", ".join([f'"task": "{task}"', *(f'"{name}": NUMBER' for name in layout)])
    meaning = "; ".join(f"{name}: {text}" for name, text in layout.items())
    return CapaxError(
        "no-layout",
        f"the model does not declare where the parts of an input of {task} stand ({_list(missing)})",
        hint=f"give {options}, or the model the layout {{{fact}}} ({meaning})",
        task=task,
    )


def _size(task: str, name: str, value: Any) -> int | str:
    if name in TEXTS and isinstance(value, (str, int)):
        return str(value)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    least = LEAST.get(task, {}).get(name, 1)
    if number < least or number > 1_000_000 or (not isinstance(value, str) and number != value):
        raise CapaxError(
            "no-layout",
            f"the layout of {task} has {name} = {value!r:.60}",
            hint=f"{name} is a whole number from {least} on: {LAYOUTS[task][name]}",
        )
    return number


def integer_system(model: Model) -> Integer:
    """The exact integers that a model computes in; another number system is refused, with how to declare one."""
    system = parse(model.numbers)
    if not isinstance(system, Integer):
        raise CapaxError(
            "number-system",
            f"the model computes in {model.numbers:.60}: sums there are not exact, and messages have no exact width",
            hint=_way_out(model),
        )
    return system


def quantised(model: Model, numbers: str | None) -> Model:
    """The model in the numbers that were declared for it: its own, or those that are given where it has no integers."""
    if numbers is not None and isinstance(own := parse(model.numbers), Integer) and parse(numbers) != own:
        raise CapaxError(
            "number-system",
            f"the model computes in {model.numbers:.60}, and --dtype says {numbers:.60}",
            hint="leave --dtype out, or save the model in other numbers: model.to(...) in Python",
        )
    try:
        integers = model if numbers is None else _rounded(model, numbers)
    except CapaxError as error:
        if error.code != "number-system":
            raise
        raise CapaxError("number-system", error.what, hint=_way_out(model)) from None
    integer_system(integers)
    return integers


def is_rounded(model: Model, integers: Model) -> bool:
    """Whether a model in exact integers is another one than the model that it was made from."""
    try:
        return integers.to(model.numbers) != model
    except CapaxError:
        return True


def _rounded(model: Model, numbers: str) -> Model:
    """A model in exact integers that runs in them, as a short input shows; one that does not is refused."""
    integers = model.to(numbers)
    if isinstance(parse(numbers), Integer):
        length = max(model.min_length, min(3, model.max_length or 3))
        integers([model.vocabulary.tokens[0]] * length)
    return integers


def _way_out(model: Model) -> str:
    """What helps a model that has no exact integers: numbers that were tried and work, or another model."""
    reason = ""
    for numbers in TRIED:
        try:
            _rounded(model, numbers)
        except CapaxError as error:
            reason = error.what
            continue
        return f"--dtype {numbers} rounds it to exact integers; what is found then is about the rounded model"
    why = f"it cannot be rounded to exact integers ({reason})"
    return f"{why}; `capax audit MODEL --against SPEC` finds words that a float model answers wrongly, or proves none"
