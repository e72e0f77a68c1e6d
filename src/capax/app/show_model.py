"""How the command line prints a model."""

from typing import Any

from capax.app.reading import in_words, reading
from capax.app.repl.screen import show_values, show_word
from capax.draw.ink.terminal import pad
from capax.draw.shapes.measure import columns
from capax.model.explain import CONSTANT
from capax.model.provenance import Provenance
from capax.rasp.meaning.sequence import format_value, visible_string

MOST_SHOWN = 8
"""Longer lists of directions and tokens are cut."""
MOST_FACTS = 24
"""Longer lists among the facts are cut."""
MOST_PURPOSES = 20
"""More purposes of units are counted and not listed."""


def show_answers(result: dict[str, Any]) -> str:
    """The printed form of `capax apply`: the answers, and below them the logits if there are any."""
    word = result["input"]
    shown = "".join(word) if all(isinstance(t, str) and len(t) == 1 for t in word) else word
    lines = [f"{result['model']}({show_word(shown)}) = {show_values(result['values'], result['type'])}"]
    if "logits" not in result:
        return lines[0]
    rows = [["", "", "", *result["outputs"]]]
    for place, (token, answer, logits) in enumerate(zip(word, result["values"], result["logits"], strict=True)):
        rows.append([str(place), _token(token), _token(answer), *(f"{x:.6g}" for x in logits)])
    wide = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return "\n".join(lines + ["  ".join(pad(c, w, "end") for c, w in zip(row, wide, strict=True)) for row in rows])


def show_explanation(name: str, told: dict[str, Any]) -> str:
    """The printed form of `capax explain`."""
    layers = told["attention_layers"]
    title = f"{name}: {_count(layers, 'attention layer')}, width {told['width']}, {told['numbers']}"
    lines = [title, "", f"reads      {_tokens(told['vocabulary'])}; {_lengths(told)}"]
    if told["claim"] is not None:
        lines.append(f"causal     {told['claim']}")
    if told["prefix"]:
        lines.append(f"prefix     {_tokens(told['prefix'])}")
    lines.append(f"directions {_cut(told['directions'], 3 * MOST_SHOWN)}")
    lines += _positions(told["positions"])
    lines += _mlp(told["input_mlp"], "MLP before the first layer", "")
    for layer in told["layers"]:
        lines += ["", f"layer {layer['layer']}", *_layer(layer)]
    lines += ["", f"answers    {_answers(told['decoding'])}", f"  reads    {_directions(told['readout'])}"]
    if (where := in_words(reading(Provenance.from_json(told["facts"])))) is not None:
        lines.append(f"  read     {where}")
    for fact, value in told["facts"].items():
        below = _fact(value)
        lines += ["", fact, *(f"  {line}" for line in below)] if below and value != [] else []
    return "\n".join(line.rstrip() for line in lines)


def show_size(told: dict[str, Any]) -> str:
    """The printed form of `capax size`."""
    where = in_words(told)
    return str(told["text"]) + ("" if where is None else f"\nread              {where}")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _lengths(told: dict[str, Any]) -> str:
    least, most = told["min_length"], told["max_length"]
    return f"words of {least} to {most:,} tokens" if most is not None else f"words of {_count(least, 'token')} or more"


def _tokens(tokens: list[Any]) -> str:
    return _cut([_token(t) for t in tokens], MOST_SHOWN)


def _token(token: Any) -> str:
    return visible_string(token) if isinstance(token, str) else format_value(token)


def _cut(items: list[str], most: int) -> str:
    shown = ", ".join(items[:most]) or "none"
    return shown if len(items) <= most else f"{shown}, ... ({len(items):,} in all)"


def _directions(found: list[dict[str, Any]]) -> str:
    """Directions with their weights; a weight of 1 is left out, as in a sum."""
    return _cut([_direction(item) for item in found], MOST_SHOWN)


def _direction(item: dict[str, Any]) -> str:
    weight, name = item["weight"], item["direction"]
    if name == CONSTANT:
        return f"constant {weight:.4g}"
    return name if weight == 1 else f"{weight:.4g} × {f'[{name}]' if ' ' in name else name}"


def _positions(told: dict[str, Any]) -> list[str]:
    lines = [f"position   {item['function']} to {_directions(item['writes'])}" for item in told["functions"]]
    rows = told["table_rows"]
    return lines + ([f"position   a table of {_count(rows, 'row')}"] if rows is not None else [])


def _layer(layer: dict[str, Any]) -> list[str]:
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


def _head(head: dict[str, Any]) -> list[str]:
    facts = [head["kind"], "no mask" if head["mask"] == "none" else f"mask {head['mask']}"]
    facts += ["sink"] if head["sink"] else []
    facts += [f"scale {head['scale']:g}"] if head["scale"] != 1 else []
    facts.append(f"dimension {head['dimension']}")
    lines = [f"  head {head['head']} {head['name']}".rstrip() + f": {', '.join(facts)}"]
    if head["origin"]:
        lines.append(f"    computes {_origin(head['origin'])}")
    lines += [f"    {part:<8} {_directions(head[part])}" for part in ("query", "key", "value", "writes")]
    return lines + ([f"    sink     {_directions(head['sink_writes'])}"] if head["sink"] else [])


def _origin(origin: dict[str, Any]) -> str:
    return str(origin["what"]) + (f" ({origin['place']})" if origin["place"] else "")


def _mlp(told: dict[str, Any] | None, title: str, indent: str) -> list[str]:
    if told is None:
        return []
    if "oracle" in told:
        return [f"{indent}{title}: {told['oracle']}, an arbitrary function"]
    stages = " then ".join(f"{_count(units, told['activation'] + ' unit')}" for units in told["units"])
    lines = [f"{indent}{title}: {stages}"]
    lines += [f"{indent}  {part:<8} {_directions(told[part])}" for part in ("reads", "writes")]
    lines += [f"{indent}  {_count(p['units'], 'unit')}: {_origin(p)}" for p in told["purposes"][:MOST_PURPOSES]]
    left = told["purposes"][MOST_PURPOSES:]
    return lines + ([f"{indent}  {sum(p['units'] for p in left):,} more units"] if left else [])


def _answers(told: dict[str, Any]) -> str:
    match told["kind"]:
        case "classes":
            return f"the highest of {_tokens(told['values'])}"
        case "nearest":
            return f"the nearest of {_tokens(told['values'])}"
        case "fractions":
            return f"the nearest fraction with a denominator up to {told['most']:,}, times {told['unit']:g}"
        case _:
            return "the number itself"


def _fact(value: Any) -> list[str]:
    """Plain data in lines, what is inside another indented; what is empty is left out."""
    match value:
        case str():
            return value.splitlines()
        case dict():
            return [
                line for key, inner in value.items() if inner not in (None, "", [], {}) for line in _item(key, inner)
            ]
        case list() if any(isinstance(inner, dict | list) for inner in value):
            return [line for number, inner in enumerate(value, 1) for line in _item(str(number), inner)]
        case list():
            return [_cut([_plain(inner) for inner in value], MOST_FACTS)]
        case _:
            return [_plain(value)]


def _item(key: str, inner: Any) -> list[str]:
    below = _fact(inner)
    if len(below) == 1 and not isinstance(inner, dict):
        return [f"{key}: {below[0]}"]
    return [f"{key}:", *(f"  {line}" for line in below)]


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case _:
            return str(value)
