"""Pictures of models: the attention of every head on a word, and what a notebook shows of a model."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final

import numpy as np

from capax.draw.subjects.heat import heat
from capax.draw.view.loop_rounds import MOST_DRAWN
from capax.draw.view.rows import show, shown_word
from capax.draw.view.view import CELLS, Flow, HeadGrid, LayerBox, Row
from capax.errors import CapaxError
from capax.model.explain import explain
from capax.model.loop import block_order
from capax.model.model import Model
from capax.model.parts import AnyHead, Array, Head, RotaryHead, TensorHead
from capax.model.provenance import Record
from capax.model.run.run import decoded, run_rows
from capax.model.vocabulary import Token

EXAMPLE_LENGTH: Final = 6
"""The length of the word on which a model is drawn when none is given."""


def example_word(model: Model) -> list[Token]:
    """A word that a model can read: its first tokens, over and over."""
    tokens = [t for t in model.vocabulary.tokens if t not in model.prefix] or list(model.vocabulary.tokens)
    if not tokens:
        raise CapaxError("bad-model", "the model has no tokens to draw it on")
    most = EXAMPLE_LENGTH if model.max_length is None else min(EXAMPLE_LENGTH, model.max_length)
    return [tokens[position % len(tokens)] for position in range(max(model.min_length, most, 1))]


def model_flow(model: Model, word: Iterable[Any], *, title: str = "model") -> Flow:
    """The attention of every head of a model on a word, layer by layer, and the answers.

    The positions of the model's prefix are shown too. A head with a sink shows its weight beside each query. A
    third-order head has two grids: for its first keys and for its second ones.
    """
    tokens = list(word)
    rows = model.read(tokens)
    n = len(rows)
    if not 0 < n <= CELLS:
        raise CapaxError("bad-option", f"a model is drawn on words of 1 to {CELLS} tokens, not {n}")
    trace: dict[str, Array] = {}
    logits = run_rows(model, np.array([rows]), trace)[0]
    texts = tuple(show(t) for t in (*model.prefix, *tokens))
    row = Row("tokens", texts, "tokens", n, 0)
    order = list(enumerate(block_order(model, len(tokens))))
    named = [
        (name, LayerBox(number + 1, tuple(_grids(block.heads, number, name, trace, row)), ()))
        for number, (name, block) in order
        if block.heads
    ]
    boxes = [box for _, box in named]
    answers = [show(a) for a in decoded(model, logits[len(model.prefix) :])]
    last = boxes.pop() if boxes else LayerBox(0, (), ())
    result = Row("answers", ("",) * len(model.prefix) + tuple(answers), "answers", n, last.number, is_result=True)
    whole = Flow(title, shown_word(tokens), n, (*boxes, replace(last, feed_forward=(result,))))
    if model.loop is None or not named:  # without any head there is one box, for the answers
        return whole
    return replace(whole, rounds=_rounds(whole, [name for name, _ in named]))


def _rounds(whole: Flow, names: Sequence[str]) -> tuple[tuple[str, Flow], ...]:
    """The layers of a model with a loop, round by round; `names` are those of the layers' blocks."""
    parts: dict[str, list[LayerBox]] = {}
    seen = False
    for name, box in zip(names, whole.layers, strict=True):
        inside = name.startswith("rounds.")
        seen = seen or inside
        parts.setdefault(str(int(name.split(".")[1]) + 1) if inside else "after" if seen else "before", []).append(box)
    size = sum(part not in ("before", "after") for part in parts)
    titles = {part: f"round {part} of {size} of" for part in parts} | {
        "before": "before the loop of",
        "after": "after the loop of",
    }
    rounds = [
        (part, replace(whole, title=f"{titles[part]} {whole.title}", layers=tuple(some)))
        for part, some in parts.items()
    ]
    if len(rounds) > MOST_DRAWN:
        rounds = [*rounds[: MOST_DRAWN // 2], *rounds[-MOST_DRAWN // 2 :]]
    return tuple(rounds) if size else ()


def _grids(heads: tuple[AnyHead, ...], number: int, name: str, trace: dict[str, Array], row: Row) -> list[HeadGrid]:
    """The grids of the heads of a block, whose activations have a name; blocks of a loop come once for each round."""
    patterns = trace[f"{name}.attn.pattern"][0]
    grids = []
    for number_in_block, head in enumerate(heads):
        label = f"{number + 1}.{number_in_block + 1}"
        if not isinstance(head, TensorHead):
            has_sink = isinstance(head, Head) and head.sink is not None
            sink = patterns[number_in_block][:, row.size] if has_sink else None
            grids.append(_grid(label, head, patterns[number_in_block], row, sink=sink))
        else:
            pairs = trace[f"{name}.attn.pairs.{number_in_block}"][0]
            grids.append(_grid(label, head, pairs.sum(axis=2), row, part="first keys"))
            grids.append(_grid(label, head, pairs.sum(axis=1), row, part="second keys"))
    return grids


def _grid(
    label: str, head: AnyHead, pattern: Array, row: Row, *, sink: Array | None = None, part: str = ""
) -> HeadGrid:
    name = head.name or (head.origin.what if head.origin else "")
    kind: str = head.attention if isinstance(head, Head) else "third-order softmax"
    if isinstance(head, RotaryHead):
        kind = "softmax, rotary positions"
    facts = [part, kind, "" if head.mask == "none" else f"mask {head.mask}"]
    facts.append("" if sink is None else "with a sink")
    plain = np.clip(pattern[:, : row.size].astype(float), 0, 1)  # a sum of rounded weights may be a little more than 1
    outputs = () if sink is None else (_sink_row(sink),)
    return replace(
        heat(plain, name=name or "attention"),
        label=label,
        formula=", ".join(filter(None, facts)),
        keys=(row,),
        queries=(row,),
        outputs=outputs,
    )


def _sink_row(sink: Array) -> Row:
    return Row("sink", tuple(f"{float(x):.3g}" for x in sink), "floats", len(sink), 0)


def bundle(model: Model) -> dict[str, str]:
    """The forms of a model that a notebook can choose from: a table of its size and one of its heads."""
    rows = "".join(f"<tr><th style='text-align:left'>{a}</th><td>{b}</td></tr>" for a, b in model.size.rows())
    heads = [head for layer in explain(model)["layers"] for head in layer["heads"]]
    listed = "".join(_head_row(head) for head in heads[:CELLS])
    more = f"<p>{len(heads) - CELLS} more heads</p>" if len(heads) > CELLS else ""
    titles = "".join(
        f"<th style='text-align:left'>{t}</th>" for t in ("head", "name", "computes", "attention", "writes")
    )
    table = f"<table><thead><tr>{titles}</tr></thead><tbody>{listed}</tbody></table>{more}" if heads else ""
    html = f"<div class='capax-model'><table><tbody>{rows}</tbody></table>{table}</div>"
    return {"text/plain": str(model), "text/html": html}


def _head_row(head: Record) -> str:
    origin = head["origin"]["what"] if head["origin"] else ""
    kind = head["kind"] + ("" if head["mask"] == "none" else f", {head['mask']}") + (", sink" if head["sink"] else "")
    writes = [item["direction"] for item in head["writes"]]
    outputs = ", ".join(writes[:6]) + (", ..." if len(writes) > 6 else "")
    cells = (head["head"], head["name"], origin, kind, outputs)
    return "<tr>" + "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
