"""How the command line prints protocols, searches for witnesses and what a second look found."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

WIDTH = 100
MOST_ROWS = 40


def show_run(run: Mapping[str, Any]) -> str:
    """The printed form of `capax protocol NAME MODEL`."""
    lines = [f"{run['protocol']}: {run['title']}", "", *wrap(run["statement"], WIDTH), f"cite: {run['citation']}", ""]
    sizes = ", ".join(f"{name} {value}" for name, value in run["sizes"].items())
    lines += [*wrap(f"at {sizes}", WIDTH), "", *_players(run["players"]), ""]
    charged = [m for m in run["messages"] if not m["free"]]
    rows = [["round", "from", "to", "bits", "exact", "paper", "bytes"]]
    for m in charged[:MOST_ROWS]:
        rows.append([str(m["round"]), m["from"], m["to"], *(f"{m[k]:,}" for k in _COUNTS), _hex(m["bytes"])])
    lines += table(rows, right={0, 3, 4, 5})
    if len(charged) > MOST_ROWS:
        lines.append(f"... and {len(charged) - MOST_ROWS:,} more")
    lines += ["", f"{run['bits']:,} bits in all, {run['exact_bits']:,} before whole bytes"]
    lines.append(f"the paper's count: {run['paper_bits']:,} ({run['paper']})")
    if run["free_bits"]:
        lines.append(f"{run['free_bits']:,} bits of states were shown, which the paper does not charge for")
    right = "which is right" if run["right"] else f"and the task asks for {run['truth']}"
    count = run["compared"]
    lines.append(f"identical with the whole model: yes, {count:,} integer{'s' * (count != 1)}")
    lines.append(f"output: {run['output']}, {right}")
    for note in run["notes"]:
        lines += wrap(note, WIDTH, initial_indent="note: ", subsequent_indent="      ")
    return "\n".join(lines)


_COUNTS = ("bits", "exact_bits", "paper_bits")


def _hex(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:20]}... ({len(text) // 2:,} bytes)"


def _players(players: Sequence[Mapping[str, str]]) -> list[str]:
    wide = max(len(p["name"]) for p in players)
    shown = [f"{p['name'].ljust(wide)}  {p['holds']}" for p in players[:12]]
    return shown + ([f"... and {len(players) - 12:,} more"] if len(players) > 12 else [])


def table(rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Rows of texts as lines, in columns; some columns are set to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


def show_fooling(result: Mapping[str, Any]) -> str:
    """The printed form of `capax fool MODEL`."""
    lines = [f"a witness had to exist: {'yes' if result['guaranteed'] else 'not known'}"]
    lines += wrap(result["why"], WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines.append(f"tried: {', '.join(result['tried'])}")
    if result["rounded"]:
        lines.append(f"the model was rounded to {result['numbers']}: all of this is about the rounded model")
    witness = result["witness"]
    if witness is None:
        if result["ruled_out"]:
            lines.append(
                "no two inputs with equal transcripts exist here: all were tried; and no wrong answer was found"
            )
        elif result["guaranteed"]:
            lines.append("none found in this time, though there is one: --seconds gives the search more")
        else:
            lines.append("none found in this time, which says nothing about what the model can do")
        return "\n".join(lines)
    lines += ["", *_demonstration(result["demonstration"])]
    if witness["kind"] == "equal-transcripts":
        lines.append(
            f"two inputs with equal transcripts ({witness['message_bits']:,} bits as written) and different truths"
        )
    elif witness["kind"] == "equal-states":
        lines.append("two rows of bits that lead to one state, and a question (the place, last) that tells them apart")
    elif witness["kind"] == "null-vector":
        lines.append(
            "two rows of numbers that give the first layer's units equal values, and the place that is asked for"
        )
    elif witness["kind"] == "indistinguishable":
        lines.append("two inputs that all other players see alike, with different truths")
    else:
        lines.append("an input that the model answers wrongly")
    said = witness.get("answers") or [None] * len(witness["inputs"])
    for number, (word, answer, truth) in enumerate(zip(witness["inputs"], said, result["truths"], strict=True), 1):
        lines += wrap(_word(word), WIDTH, initial_indent=f"  input {number}  ", subsequent_indent=" " * 11)
        own = answer * witness["unit"] if "unit" in witness and not isinstance(answer, str) else answer
        told = "" if answer is None else f"the model answers {_shown(own)}, and "
        lines.append(f"           {told}{_shown(truth)} is right")
    lines.append(f"found by {witness['method']}, seed {witness['seed']}")
    return "\n".join(lines)


def _demonstration(found: Mapping[str, Any] | None) -> list[str]:
    """The sets of an indistinguishable decomposition, as they shrank."""
    if found is None:
        return []
    lines = ["a demonstration at a toy size: sets of tables that look alike to all later players"]
    lines += table([[f"  {one['what']}", f"{one['size']:,}"] for one in found["steps"]], right={1})
    lines.append(f"  checked with the whole model in {found['contexts_checked']:,} contexts")
    return [*lines, ""]


def _word(word: Sequence[Any]) -> str:
    texts = [_token(str(token)) for token in word]
    return ", ".join(texts) if any(" " in text for text in texts) else " ".join(texts)


def _token(text: str) -> str:
    """A token; a fraction whose digits would fill lines is cut, and the witness has it all."""
    return text if len(text) <= 60 else f"{text[:20]}...({len(text):,}_characters)"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
