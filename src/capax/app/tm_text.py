"""What `capax tm` found, as text."""

from collections.abc import Sequence
from typing import Any, Final

SHOWN: Final = 200
"""Tokens of a random chain that are printed."""
WIDE: Final = 100
"""Characters of a tape that are printed."""
FORMS: Final = {"lookup": "by positions", "hash": "by layer-norm hashes, without positions"}


def show(result: dict[str, Any]) -> str:
    """The result as text."""
    lines = [_machine(result), _decoder(result)]
    if "trace" in result:
        lines += ["", *_trace_lines(result["trace"]), ""]
        left = result["steps"] + result["halted"] - len(result["trace"])
        lines += [f"... and {left:,} more, which are not shown", ""] if left > 0 else []
    if "tokens" in result:
        return "\n".join([*lines, *_chance_lines(result)])
    if result["difference"] is not None:
        wrong = result["difference"]
        told = f"the machine does {wrong['machine']}, the decoder {wrong['decoder']}"
        return "\n".join([*lines, f"step {wrong['step']:,} differs: {told}"])
    end = "and halt" if result["halted"] else "and go on"
    steps = _count(result["steps"], "step")
    lines.append(f"machine and decoder agree on {steps} {end} in state {result['state']}")
    verdict = {None: "", True: "accepted; ", False: "not accepted; "}[result["accepted"] if result["halted"] else None]
    cells = f"{_count(result['not_blank'], 'cell')} {'is' if result['not_blank'] == 1 else 'are'} not blank"
    lines.append(f"{verdict}{cells}{': ' if result['tape'] else ''}{_tape(result['tape'])}")
    if "several" in result:
        own = result["several"]
        lines.append(f"the machine with {len(own['tapes'])} tapes takes {_count(own['steps'], 'step')} for it:")
        lines += [f"  tape {at}: {_tape(tape) or 'blank'}" for at, tape in enumerate(own["tapes"], 1)]
    return "\n".join(lines)


def _machine(result: dict[str, Any]) -> str:
    ends = result["halting_states"]
    states = _count(result["states"] - ends, "state") + (f" and {ends} to halt in" if ends else "")
    tapes = "" if result["tapes"] == 1 else f", made from one with {result['tapes']} tapes"
    return f"{result['machine']}: {states}, {_count(result['symbols'], 'symbol')}{tapes}"


def _decoder(result: dict[str, Any]) -> str:
    """The kind of decoder and its limits: wherever the head goes, or while it stays within cells."""
    limits, layers = result["limits"], result["decoder"]["attention_layers"]
    far = f"while the head stays within {_count(limits['cells'], 'cell')} on each side"
    told = (
        f"decoder: {_count(layers, 'attention layer')}, {FORMS[result['form']]}, {result['attention']} attention, "
        f"{result['numbers']}\nright for {limits['places']:,} places, "
        f"{'wherever the head goes' if limits['sure'] else far}"
    )
    if result["form"] == "lookup":
        return told
    return (
        f"{told}; hashes are right for {limits['any_run']:,} places wherever the head goes, positions for "
        f"{limits['by_positions']:,}"
    )


def _chance_lines(result: dict[str, Any]) -> list[str]:
    word = "is that of the machine" if result["agrees"] else "is NOT that of the machine"
    chain = " ".join(result["tokens"][:SHOWN]) + (" ..." if len(result["tokens"]) > SHOWN else "")
    told = (
        f"{_count(result['steps'], 'step')} drawn with seed {result['seed']}; the distribution at every step {word} "
        f"(largest difference {result['largest_difference']:.2g}); this chain has probability "
        f"{result['probability']:.3g}"
    )
    return [*([] if "trace" in result else ["", chain, ""]), told]


def _trace_lines(trace: list[dict[str, Any]]) -> list[str]:
    """The trace as columns, below the names of the heads."""
    rows = [("step", "state", "tape", "token", "looks at")]
    for line in trace:
        seen = ["all" if one["place"] is None else f"{one['token']} @{one['place']}" for one in line["looks"]]
        rows.append((str(line["step"]), line["state"], line["tape"], line["token"], " | ".join(seen)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    heads = "heads: " + " | ".join(one["head"] for one in trace[0]["looks"])
    told = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows]
    return [heads, "", *told]


def _tape(symbols: Sequence[str]) -> str:
    text = "".join(symbols) if all(len(symbol) == 1 for symbol in symbols) else " ".join(symbols)
    return text if len(text) <= WIDE else f"{text[: WIDE - 3]}..."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
