"""How the command line prints certificates."""

from typing import Any

from capax.model.claim import causal_note


def show_verdicts(verdicts: list[dict[str, Any]]) -> list[str]:
    """A line for each number system: the certified length, and what breaks beyond it, where, and what would help."""
    return [line for verdict in verdicts for line in (_length(verdict, 1), *_breaks(verdict))]


def _length(verdict: dict[str, Any], least: int) -> str:
    length = verdict["length"]
    words = f"up to length {length:,}" if least == 1 else f"for words of {least:,} to {length:,} tokens"
    return f"  {verdict['numbers']:<9} {words if length else 'not certified'}"


def _breaks(verdict: dict[str, Any]) -> list[str]:
    lines, breaks = [], verdict["breaks"]
    if breaks is not None:
        where = f" ({verdict['where']})" if verdict["where"] and verdict["where"] not in breaks else ""
        lines.append(f"    breaks {breaks}{where}")
        lines += [f"    what would help: {verdict['help']}"] if verdict["help"] else []
    return lines


def show_rechecked(result: dict[str, Any]) -> str:
    """The printed form of `capax verify --certificate`."""
    both = f"the weights and {result['about']}"
    if not result["follows"]:
        return f"{result['file']}: the certificate does not follow from {both}\n{result['why']}"
    lines = [f"{result['file']}: the certificate follows from {both}"]
    lines += [_length(verdict, result["min_length"]) for verdict in result["verdicts"]]
    note = causal_note(result["causal_change"])
    lines += [f"causal: {note}"] if note else []
    return "\n".join([*lines, *(f"assuming that {a}" for a in result["assumptions"])])
