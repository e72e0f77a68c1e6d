"""`capax explain`: what each part of a model does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._answer_position import AnswerPosition, answer_position
from capax.app.commands._result import finish
from capax.app.commands.apply import token_text
from capax.app.options import MODEL, Json, Unchecked, count
from capax.display import Card

if TYPE_CHECKING:
    from capax.model.model import Model

GROUP: Final = ("Models", 4)
MOST_SHOWN: Final = 8
"""Longer lists of directions and tokens are cut."""
MOST_FACTS: Final = 24
"""Longer lists among the facts are cut."""
MOST_PURPOSES: Final = 20
"""More purposes of units are counted and not listed."""


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    foc: Annotated[
        bool, typer.Option("--foc", help="Instead: a fixed-point model as formulas of FOC[MOD; +], checked.")
    ] = False,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what each head and MLP of a model reads, writes and is for, layer by layer.

    With --foc exit code 1 if the model answers a word otherwise than the formulas say.

    Example: capax explain previous.safetensors
    """
    if foc:
        from capax.app.commands._explain_formula import model_sentences

        sentences = model_sentences(model, unchecked=unchecked)
        finish(sentences, as_json=as_json)
        raise typer.Exit(0 if sentences.check.holds else 1)
    finish(explain(model, unchecked=unchecked), as_json=as_json)


@dataclass(frozen=True, slots=True)
class Explanation(Card):
    """What each part of a model does, as `capax.model.explain` gives it, and where its answer is read."""

    name: str
    parts: Mapping[str, Any]
    answer: AnswerPosition

    def to_json(self) -> dict[str, Any]:
        """Both as plain data, with all that the model's file says about where it came from."""
        return {**self.parts, **self.answer.to_json()}

    def render(self) -> str:
        """Layer by layer; then the facts that take a line or two."""
        parts = self.parts
        layers = count(parts["attention_layers"], "attention layer")
        if "loop" in parts:
            loop = parts["loop"]
            one = loop["first"] + 1 == loop["end"]
            which = f"layer {loop['end']} is" if one else f"layers {loop['first'] + 1} to {loop['end']} are"
            layers += f", {which} run for {loop['rounds']} round{'' if loop['rounds'] == 1 else 's'}"
        lines = [f"{self.name}: {layers}, width {parts['width']}, {parts['numbers']}", ""]
        lines.append(f"reads      {_tokens(parts['vocabulary'])}; {_lengths(parts)}")
        if parts["claim"] is not None:
            lines.append(f"causal     {parts['claim']}")
        if parts["prefix"]:
            lines.append(f"prefix     {_tokens(parts['prefix'])}")
        lines.append(f"directions {_cut(parts['directions'], 3 * MOST_SHOWN)}")
        lines += _positions(parts["positions"])
        lines += _mlp(parts["input_mlp"], "MLP before the first layer", "")
        for layer in parts["layers"]:
            lines += ["", f"layer {layer['layer']}", *_layer(layer)]
        lines += ["", f"answers    {_answers(parts['decoding'])}", f"  reads    {_directions(parts['readout'])}"]
        if (position := self.answer.in_words()) is not None:
            lines.append(f"  read     {position}")
        return "\n".join(line.rstrip() for line in [*lines, *_facts(parts["facts"])])


def explain(path: str, *, unchecked: bool = False) -> Explanation:
    """What each part of the model in a file does."""
    from capax.app.files.models import given_model

    return explained(given_model(path, unchecked=unchecked), path)


def explained(model: "Model", name: str | None = None) -> Explanation:
    """What each part of a model does; it goes by its program's name, unless it has another."""
    from capax.model.explain import explain as explain_model

    title = name or model.provenance.name or "model"
    return Explanation(title, explain_model(model), answer_position(model.provenance))


def _lengths(parts: Mapping[str, Any]) -> str:
    least, most = parts["min_length"], parts["max_length"]
    return f"words of {least} to {most:,} tokens" if most is not None else f"words of {count(least, 'token')} or more"


def _tokens(tokens: list[Any]) -> str:
    return _cut([token_text(t) for t in tokens], MOST_SHOWN)


def _cut(items: list[str], most: int) -> str:
    listed = ", ".join(items[:most]) or "none"
    return listed if len(items) <= most else f"{listed}, ... ({len(items):,} in all)"


def _directions(weights: list[Mapping[str, Any]]) -> str:
    """Directions with their weights; a weight of 1 is left out, as in a sum."""
    return _cut([_direction(item) for item in weights], MOST_SHOWN)


def _direction(item: Mapping[str, Any]) -> str:
    from capax.model.explain import CONSTANT

    weight, name = item["weight"], item["direction"]
    if name == CONSTANT:
        return f"constant {weight:.4g}"
    return name if weight == 1 else f"{weight:.4g} × {f'[{name}]' if ' ' in name else name}"


def _positions(positions: Mapping[str, Any]) -> list[str]:
    lines = [f"position   {item['function']} to {_directions(item['writes'])}" for item in positions["functions"]]
    rows = positions["table_rows"]
    return lines + ([f"position   a table of {count(rows, 'row')}"] if rows is not None else [])


def _layer(layer: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    if layer["attention_norm"]:
        lines.append(f"  {layer['attention_norm']} norm")
    for head in layer["heads"]:
        lines += _head(head)
    if layer["bias"]:
        lines.append(f"  bias     {_directions(layer['bias'])}")
    if layer["mlp_norm"]:
        lines.append(f"  {layer['mlp_norm']} norm")
    return lines + _mlp(layer["mlp"], "MLP", "  ") or ["  nothing"]


def _head(head: Mapping[str, Any]) -> list[str]:
    facts = [head["kind"], "no mask" if head["mask"] == "none" else f"mask {head['mask']}"]
    facts += ["sink"] if head["sink"] else []
    facts += [f"scale {head['scale']:g}"] if head["scale"] != 1 else []
    facts.append(f"dimension {head['dimension']}")
    lines = [f"  head {head['head']} {head['name']}".rstrip() + f": {', '.join(facts)}"]
    if head["origin"]:
        lines.append(f"    purpose  {_origin(head['origin'])}")
    lines += [f"    {part:<8} {_directions(head[part])}" for part in ("query", "key", "value", "writes")]
    return lines + ([f"    sink     {_directions(head['sink_writes'])}"] if head["sink"] else [])


def _origin(origin: Mapping[str, Any]) -> str:
    return str(origin["what"]) + (f" ({origin['location']})" if origin["location"] else "")


def _mlp(mlp: Mapping[str, Any] | None, title: str, indent: str) -> list[str]:
    if mlp is None:
        return []
    if "oracle" in mlp:
        return [f"{indent}{title}: {mlp['oracle']}, an arbitrary function"]
    stages = " then ".join(f"{count(units, mlp['activation'] + ' unit')}" for units in mlp["units"])
    lines = [f"{indent}{title}: {stages}"]
    lines += [f"{indent}  {part:<8} {_directions(mlp[part])}" for part in ("reads", "writes")]
    lines += [f"{indent}  {count(p['units'], 'unit')}: {_origin(p)}" for p in mlp["purposes"][:MOST_PURPOSES]]
    left = mlp["purposes"][MOST_PURPOSES:]
    return lines + ([f"{indent}  {sum(p['units'] for p in left):,} more units"] if left else [])


def _answers(decoding: Mapping[str, Any]) -> str:
    match decoding["kind"]:
        case "classes":
            return f"the highest of {_tokens(decoding['values'])}"
        case "nearest":
            return f"the nearest of {_tokens(decoding['values'])}"
        case "fractions":
            return f"the nearest fraction with a denominator up to {decoding['most']:,}, times {decoding['unit']:g}"
        case _:
            return "the number itself"


def _facts(facts: Mapping[str, Any]) -> list[str]:
    """What the model's file says about where it came from; what is nested deeper is only named."""
    lines: list[str] = []
    nested: list[str] = []
    for name, value in facts.items():
        if _is_nested(value):
            nested.append(name)
        elif value not in (None, "", [], {}):
            lines += ["", name, *(f"  {line}" for line in _lines(value))]
    return lines + (["", f"also in the file, shown by --json: {', '.join(nested)}"] if nested else [])


def _is_nested(value: Any) -> bool:
    """Whether a fact has tables inside a table or a list."""
    match value:
        case dict():
            inner = [item for item in value.values() if isinstance(item, dict | list)]
            return any(isinstance(item, dict) or _is_nested(item) for item in inner)
        case list():
            return any(isinstance(item, dict | list) for item in value)
        case _:
            return False


def _lines(value: Any) -> list[str]:
    match value:
        case str():
            return value.splitlines()
        case dict():
            filled = {key: inner for key, inner in value.items() if inner not in (None, "", [], {})}
            return [f"{key}: {_plain(inner)}" for key, inner in filled.items()]
        case _:
            return [_plain(value)]


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return _cut([_plain(item) for item in value], MOST_FACTS)
        case _:
            return str(value)
