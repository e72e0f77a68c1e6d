"""How the command line prints results."""

from typing import Any

from capax.app.repl.screen import show_matrix, show_values, show_word
from capax.rasp.meaning.sequence import Matrix


def show_run(result: dict[str, Any]) -> str:
    """The printed form of `capax run`: the value, and before it every step if there are any."""
    word = result["input"]
    shown = "".join(word) if all(isinstance(t, str) and len(t) == 1 for t in word) else word
    lines: list[str] = []
    steps = result.get("trace", [])
    wide = max((len(step["name"]) for step in steps), default=0)
    for step in steps:
        lines.append(_titled(step, step["name"].ljust(wide), word))
    if not steps or steps[-1]["name"] != result["program"]:
        lines.append(_titled(result, f"{result['program']}({show_word(shown)})", word))
    return "\n".join(lines)


def _titled(result: dict[str, Any], title: str, word: list[Any]) -> str:
    if result["kind"] == "selector":
        return f"{title} =\n{show_matrix(Matrix(result['values']), word)}"
    return f"{title} = {show_values(result['values'], result['type'])}"


def show_library(entries: list[dict[str, Any]]) -> str:
    """The printed form of `capax list`: a line for each entry, grouped by file."""
    heads = [e["name"] + (f"({', '.join(e['params'])})" if e["params"] is not None else "") for e in entries]
    wide = max(map(len, heads))
    lines: list[str] = []
    module = None
    for head, entry in zip(heads, entries, strict=True):
        if entry["module"] != module:
            module = entry["module"]
            lines += ["", module] if lines else [module]
        lines.append(f"  {head.ljust(wide)}  {entry['doc']}")
    return "\n".join(lines)
