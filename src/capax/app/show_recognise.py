"""How the command line prints what is known of a language."""

import re
from textwrap import wrap
from typing import Any

from capax.formal.acceptance import READS

WIDTH = 100
CLASSES = (
    ("piecewise_testable", "piecewise testable"),
    ("partially_ordered", "partially ordered (R-trivial)"),
    ("two_variable", "two-variable logic (DA)"),
    ("star_free", "star-free"),
    ("in_ac0", "in AC0"),
    ("solvable", "solvable groups only"),
)


def show_recognise(result: dict[str, Any]) -> str:
    """The printed form of `capax recognise`."""
    known = [*_classes(result), *_verdicts(result)]
    lines = [*_head(result), *(["", *known] if known else []), *_routes(result)]
    if result.get("word") is not None:
        lines += ["", *_word(result["word"])]
    lines += _sources(result)
    return "\n".join(lines)


def _head(result: dict[str, Any]) -> list[str]:
    lines = [result["given"] + (f": {result['what']}" if result["what"] else "")]
    lines.append(f"alphabet   {' '.join(result['alphabet'])}")
    if result["circuit"] is not None:
        lines.append(_circuit(result["circuit"]))
    classes = result["classes"]
    if classes is not None:
        monoid = (
            "too large"
            if classes["monoid"] is None
            else f"{classes['monoid']:,} element{'s' * (classes['monoid'] != 1)}"
        )
        lines.append(f"automaton  {classes['states']:,} state{'s' * (classes['states'] != 1)}; monoid {monoid}")
        if result["shortest"] is None:
            lines.append("the language is empty: no word is in it")
        elif classes["trivial"]:
            lines.append("every word is in the language")
        else:
            lines.append(f"shortest   {''.join(result['shortest']) or 'the empty word'}")
    return lines


def _circuit(found: dict[str, Any]) -> str:
    counted = [f"{found[part]:,} {part[:-1]}{'s' * (found[part] != 1)}" for part in ("inputs", "gates")]
    kind = "with threshold gates (as in TC0)" if found["threshold"] else "no threshold gates (as in AC0)"
    return f"circuit    {', '.join(counted)}, depth {found['depth']:,}; {kind}"


def _classes(result: dict[str, Any]) -> list[str]:
    classes = result["classes"]
    if classes is None:
        return []
    lines = []
    for key, name in CLASSES:
        says = {True: "yes", False: "no", None: "not found out"}[classes[key]]
        why = classes["why"].get(key)
        lines += _wrapped(f"{name:<30} {says:<4}", f" {why}" if why else "")
    groups = classes["groups"]
    if groups:
        names = [
            f"{g['order']} elements ({' '.join(g['factors']) if g['factors'] else 'not taken apart'})" for g in groups
        ]
        lines += _wrapped(f"{'groups':<30}", f" {', '.join(dict.fromkeys(names))}")
    if classes["monoid"] is None:
        lines += _wrapped("", classes["why"]["monoid"])
    if result["counting_formula"]:
        lines += _wrapped(f"{'counting formula':<30}", f" {result['counting_formula']}")
    return [*lines, ""]


def _verdicts(result: dict[str, Any]) -> list[str]:
    lines = [f"which transformers recognise it, read {READS[result['read']]}"] if result["verdicts"] else []
    for verdict in result["verdicts"]:
        assuming = f", assuming {verdict['assuming']}" if verdict["assuming"] else ""
        lines.append(f"  {verdict['answer']}{assuming}: {verdict['models']}")
        names = "; ".join(re.sub(r"(\d{4}), .*", r"\1", source) for source in verdict["source"].split("; "))
        lines += _wrapped("      ", f"{verdict['because']} [{names}]")
    return lines


def _sources(result: dict[str, Any]) -> list[str]:
    """The papers that verdicts cite, in full."""
    found = dict.fromkeys(source for verdict in result["verdicts"] for source in verdict["source"].split("; "))
    return ["", "sources", *(line for source in sorted(found) for line in _wrapped("  ", source))] if found else []


def _routes(result: dict[str, Any]) -> list[str]:
    if not result["routes"]:
        other = "" if result["read"] == "last" else f" that is read {READS[result['read']]}"
        return ["", f"no theorem here builds a model for it{other}"]
    table = [["route", "kind", "layers", "heads", "width", "parameters", "words up to", "read", "right on"]]
    notes = []
    for one in result["routes"]:
        size, longest = one["size"], "any" if one["longest"] is None else f"{one['longest']:,}"
        if size is None:
            table.append([one["theorem"], one["what"], "-", "-", "-", "-", longest, one["read"], "-"])
            notes.append(f"{one['theorem']}, {one['what']}: {one['refused']}")
            continue
        right = f"{one['right_on']:,} words" if one["wrong_on"] is None else f"WRONG on {''.join(one['wrong_on'])}"
        layers, heads = f"{size['attention_layers']}", "+".join(map(str, size["heads"])) or "0"
        table.append(
            [
                one["theorem"],
                one["what"],
                layers,
                heads,
                f"{size['width']:,}",
                f"{size['parameters']:,}",
                longest,
                one["read"],
                right,
            ]
        )
        if one["note"]:
            notes.append(f"{one['theorem']}, {one['what']}: {one['note']}")
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in table]
    if result["end_marker"] is not None:
        notes.append(f"read end: the answer at the end marker {result['end_marker']}, which is put after the word")
    return [
        "",
        "models, built and tried on all short words",
        *(f"  {line}" for line in lines),
        *(f"  {n}" for n in notes),
    ]


def _word(word: dict[str, Any]) -> list[str]:
    shown = "".join(word["word"]) or "the empty word"
    lines = [f"{shown}: {'in' if word['accepts'] else 'not in'} the language"]
    if word["states"] is not None:
        lines += _wrapped("  states ", " ".join(map(str, word["states"])))
    for one in word["models"]:
        says = {True: "yes", False: "no", None: f"not asked: {one['not_asked']}"}[one["accepts"]]
        lines.append(f"  {one['theorem']}, {one['what']}: {says}")
    return lines


def _wrapped(first: str, rest: str) -> list[str]:
    return wrap(first + rest, WIDTH, subsequent_indent=" " * 6) or [""]
