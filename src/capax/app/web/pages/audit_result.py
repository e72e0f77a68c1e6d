"""The verdict of an audit as pieces of HTML."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.request import Reply
from capax.auditor.verdict import ranges

KINDS: Final = {"proved": "good", "wrong": "bad"}
TITLE: Final = '<h2 class="cx-h">{}</h2>'


def brought_html(files: Mapping[str, str], others: Sequence[str] = ()) -> str:
    """The files that were brought along, or which ones to bring."""
    if not files:
        what = (
            "A <code>.safetensors</code> file of capax; or <code>config.json</code>, <code>model.safetensors</code> "
            "and, if there is one, <code>tokenizer.json</code> of a Hugging Face or TransformerLens checkpoint. "
            "Pickles are not read. Files are forgotten when you close the page."
        )
        return f'<div class="cx-quiet cx-small">{what}</div>'
    rows = [
        (f'<span class="cx-mono">{show.esc(name)}</span>', _bytes(len(text) * 3 // 4)) for name, text in files.items()
    ]
    rows += [(f'<span class="cx-mono cx-quiet">{show.esc(name)}</span>', "not needed") for name in others]
    return show.table((), rows)


def _bytes(size: int) -> str:
    return f"{size / 1000:,.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"


def summary_html(audit: Reply, size: Reply) -> str:
    """The verdict in one sentence, in short, and the question that it answers."""
    facts = [
        (f"{name}: length{'s' * (len(audit[name]) > 1)} {ranges(audit[name])}", KINDS.get(name, ""))
        for name in ("proved", "wrong", "unknown")
        if audit[name]
    ]
    before = f"after <b>{show.esc(' '.join(map(str, audit['prefix'])))}</b>" if audit["prefix"] else ""
    letters = [str(letter) for letter in audit["letters"]]
    shown = " ".join(letters[:24]) + (" …" if len(letters) > 24 else "")
    end = f" ({show.esc(audit['end'])})" if audit["end"] is not None else ""
    question = ", ".join(filter(None, (f"words over <b>{show.esc(shown)}</b>", before)))
    lines = (
        f"{show.esc(audit['model'])}: {count(size['attention_layers'], 'attention layer')}, "
        f"heads {', '.join(map(str, size['heads'])) or 'none'}, width {size['width']:,}, "
        f"{size['parameters']:,} parameters, {show.esc(audit['numbers'])}",
        f"{question}; answers read {show.esc(audit['read_in_words'])}{end}, as {show.esc(audit['decoding'])}",
    )
    about = "".join(f'<div class="cx-quiet cx-small">{line}</div>' for line in lines)
    sentence = show.esc(audit["summary"][:1].upper() + audit["summary"][1:])
    return f'<h1 class="cx-h cx-verdict-line">{sentence}.</h1>{show.chips(facts)}{about}'


def counterexample_html(audit: Reply, attention: Reply) -> str:
    """The word with a wrong answer, its letters one by one with the position that is read; or the closest word."""
    wrong = next((one["counterexample"] for one in audit["lengths"] if one["counterexample"]), None)
    if wrong is None:
        if attention["word"] is None or attention["margin"] is None:
            return ""
        note = f"The least margin that was seen, {attention['margin']:.3g}, is on this word; the answer is right."
        return (
            TITLE.format("The closest word")
            + _letters(attention["word"], None)
            + f'<p style="margin:8px 0 0">{note}</p>'
        )
    margins = ", ".join(f"{margin:.3g} in {show.esc(name)}" for name, margin in wrong["margins"].items())
    return (
        TITLE.format("A word that it gets wrong")
        + _letters([*wrong["word"], *([] if audit["end"] is None else [audit["end"]])], wrong["position"])
        + f'<p style="margin:8px 0">At position {wrong["position"]} the model answers '
        f'<b class="cx-bad">{_answer(wrong["answer"])}</b>, and <b class="cx-good">{_answer(wrong["expected"])}</b> '
        f'is right. <span class="cx-quiet">Margin {margins}.</span></p>'
    )


def _letters(word: Sequence[Any], position: int | None) -> str:
    cells = "".join(
        f'<span{" class=head" if at == position else ""} title="position {at}">{show.esc(letter)}</span>'
        for at, letter in enumerate(word)
    )
    return f'<div class="cx-tape cx-small">{cells}</div>'


def _answer(answer: Any) -> str:
    if isinstance(answer, list):
        return show.esc("{" + ", ".join(map(str, answer)) + "}")
    return show.esc("none" if answer is None else answer)


def table_html(rows: list[list[str]], audit: Reply) -> str:
    """The table of verdicts, as the command prints it, and why lengths are unknown."""
    used = [at for at in range(len(rows[0])) if any(line[at] != "-" for line in rows[1:])]
    head, *lines = [[row[at] for at in used] for row in rows]
    cells = [
        (
            show.esc(line[0]),
            f'<b class="cx-{KINDS.get(line[1], "quiet")}">{show.esc(line[1])}</b>',
            *("" if text == "-" else show.esc(text) for text in line[2:]),
        )
        for line in lines
    ]
    return show.table(head, cells) + "".join(
        f'<p class="cx-quiet cx-small" style="margin:8px 0 0">{show.esc(note)}.</p>' for note in _notes(audit)
    )


def _notes(audit: Reply) -> list[str]:
    """Why lengths are unknown; nothing if none are."""
    if not audit["unknown"]:
        return []
    notes: dict[str, list[int]] = {}
    for one in audit["lengths"]:
        if one["outcome"] == "unknown" and one["note"]:
            notes.setdefault(one["note"], []).append(one["length"])
    bounds = [f"No bounds: {audit['no_bounds_because']}"] if audit["no_bounds_because"] else []
    return bounds + [f"Length{'s' * (len(at) > 1)} {ranges(at)}: {note}" for note, at in notes.items()]


def attention_html(attention: Reply) -> str:
    """The attention of every head on the word."""
    if attention["word"] is None:
        return ""
    note = (
        f'<p class="cx-quiet cx-small">The attention is not drawn: {show.esc(attention["note"])}.</p>'
        if attention["note"]
        else ""
    )
    return note + show.awake(attention["picture"])
