"""The model card: how to run an exported directory, in which dtype it holds, and what is known of it."""

import json

from capax.model.claim import claim
from capax.model.export.hugging_face.certificate import proved_length, statement
from capax.model.export.hugging_face.convert import Converted
from capax.model.export.hugging_face.tokens import TokenIds, text_of
from capax.model.model import Model
from capax.model.provenance import Record

_RUN = {
    "text-generation": """\
from transformers import pipeline

generate = pipeline("text-generation", model=".", dtype="auto")
print(generate({text!r}, max_new_tokens={steps}, return_full_text=False)[0]["generated_text"])""",
    "token-classification": """\
import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForTokenClassification.from_pretrained(".", dtype="auto").eval()
with torch.inference_mode():
    logits = model(**tokenizer({text!r}, return_tensors="pt")).logits[0, {prefix}:]
print({shown})""",
}


def card(converted: Converted, tokens: TokenIds, model: Model, config: Record, known: Record) -> str:
    """The text of the card."""
    parts = [
        *how_to_run(converted, tokens, model, config),
        f"## Numbers\n\n{_numbers(converted.model.numbers, converted.family)}",
        f"## What is known\n\n{_known(converted, known)}",
        *program_of(model),
    ]
    return "\n\n".join(parts) + "\n"


def how_to_run(converted: Converted, tokens: TokenIds, model: Model, config: Record) -> list[str]:
    """The first parts of a card: what the model is, which texts it reads, and code that runs it."""
    task = converted.answers.task
    words = [name for row, name in enumerate(tokens.names[: tokens.read]) if row not in tokens.prefix]
    longest = (converted.model.max_length or 1) if converted.model.max_length is not None else 1
    count = max(model.min_length, min(5, max(1, longest - 1)))
    example = text_of(tokens, [words[i % len(words)] for i in range(count)]) if words else ""
    answers = (
        "[model.config.id2label[int(i)] for i in logits.argmax(-1)]" if converted.answers.values else "logits[:, 0]"
    )
    code = _RUN[task].format(text=example, steps=max(1, min(5, longest - 5)), prefix=len(model.prefix), shown=answers)
    return [
        _head(task),
        f"# {model.provenance.name or 'A transformer'}, as {config['architectures'][0]}",
        _what(converted, tokens, words, (model.min_length, longest)),
        *_other_lengths(model.min_length, longest),
        f"```python\n{code}\n```",
        "`capax.json` says what the tokens and the outputs stand for; no code of capax is needed to run the model.",
    ]


def program_of(model: Model) -> list[str]:
    """The last part of a card: the program, if there is one."""
    program = model.provenance.program
    if not isinstance(program, str):
        return []
    sentence = claim(model.provenance)
    above = f"{sentence[0].upper()}{sentence[1:]}. The program as written:\n\n" if sentence else ""
    return [f"## Program\n\n{above}```\n{program.strip()}\n```"]


def _head(task: str) -> str:
    return f"---\nlibrary_name: transformers\npipeline_tag: {task}\ntags:\n- capax\n---"


def _what(converted: Converted, tokens: TokenIds, words: list[str], lengths: tuple[int, int]) -> str:
    listed = ", ".join(f"`{json.dumps(w, ensure_ascii=False)[1:-1]}`" for w in words[:40])
    listed += f" and {len(words) - 40:,} more" if len(words) > 40 else ""
    how = "a text of single characters" if tokens.chars else "a text of tokens separated by blanks"
    lines = [
        f"Made by capax. It reads words of {lengths_text(*lengths)} tokens, written as {how}. The tokens are {listed}.",
        "A text with any other token, or with more of them, is an error that lists the tokens and the length; the "
        f"tokenizer cannot name the wrong one. Rows of ids that are too long {_TOO_LONG[converted.family == 'llama']}.",
    ]
    if tokens.prefix:
        first = " ".join(f"`{tokens.names[i]}`" for i in tokens.prefix)
        lines.append(f"The tokenizer puts {first} before every word; the outputs there mean nothing.")
    if converted.answers.task == "text-generation":
        lines.append("The highest logit at each position names the next token.")
        lines.append("Generation stops at the last position; leave room for `max_new_tokens` where you give it.")
        if tokens.end is not None:
            lines.append(f"`{tokens.names[tokens.end]}` is an answer, not a token of words: generation ends there.")
    elif converted.answers.values:
        lines.append("The highest logit at each position names the answer there: see `id2label`.")
    else:
        lines.append("The one output at each position is a number; `capax.json` says how it is read.")
    lines.append(_PADDING[converted.family])
    return "\n".join(lines)


def lengths_text(shortest: int, longest: int) -> str:
    """Which lengths a model reads, in words."""
    if shortest <= 1:
        return f"up to {longest:,}"
    return f"exactly {longest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"


def _other_lengths(shortest: int, longest: int) -> list[str]:
    """A warning where words may be too short, which neither the class nor the tokenizer refuses."""
    if shortest <= 1:
        return []
    return [
        f"**Give it words of {lengths_text(shortest, longest)} tokens only.** The model is made for those lengths "
        "alone. Neither the tokenizer nor the class refuses a shorter word: the answers on it are wrong, without a "
        "warning. If it is a loop written out, export it again for other lengths, with another `--length`."
    ]


_TOO_LONG = ("end in an `IndexError` of the class", "are not refused by the class, and their answers mean nothing")
_ON_THE_RIGHT = (
    "**Pad on the right** in plain calls: the class counts padding on the left as positions, and the answers would be "
    "wrong without a warning. Padding on the left works with `position_ids` that count from the first token."
)
_PADDING = {
    "opt": "Padding may stand on either side, since the class counts positions in the attention mask; the tokenizer "
    "pads on the left, which generation needs.",
    "roberta": "Padding may stand on either side, since the class counts positions over tokens that are not padding. "
    "Give the attention mask of the tokenizer too.",
    "llama": "Padding may stand on either side, since positions are counted over tokens that the attention mask has.",
    "gpt2": _ON_THE_RIGHT,
    "bert": _ON_THE_RIGHT,
}
"""What padding does in a class."""


def _numbers(dtype: str, family: str) -> str:
    lower = "float32, float16 or bfloat16" if dtype == "float64" else "float16 or bfloat16"
    eager = " Leave the attention implementation as it is: the eager one of OPT takes its softmax in float32."
    return (
        f"The answers hold in **{dtype}**, which the configuration sets. **Do not load it in {lower}**, quantise it or "
        f"use autocast: it may then give wrong answers without a warning. Some versions of transformers (before 5) "
        f'load in float32 unless told otherwise: give `dtype="auto"` (in old ones `torch_dtype="auto"`).'
        f"{eager * (family == 'opt' and dtype == 'float64')}"
    )


def _known(converted: Converted, known: Record) -> str:
    tested = "Tested when it was written: loaded by the stock class, it gave the model's answers on all words tried."
    if converted.norms is None:
        return tested
    error, off = known["read_error"], converted.norms.holds_when_off_by
    if off:
        whole = "that whole bound" if off >= error["relative"] else "less than that bound"
        tested += f" They stayed the same with norms that were off by {off:.2g}, {whole}."
    return (
        "The norms of the class are neutralised: every value x is kept as a pair (x, -x), and pinned pairs fix the "
        f"variance of each row to a power of two. Proved under the assumptions in `certificate.json`: what is read "
        f"after a norm is off by at most {error['relative']:.2g} of itself plus {error['absolute']:.2g}. "
        f"That rows are within the reach of this bound is {known['rows']['evidence']}. "
        f"{_answers(converted, known)} {tested}"
    )


def _answers(converted: Converted, known: Record) -> str:
    """What is proved of the answers."""
    length, open = proved_length(known["answers"]), known["not_proved"]
    lines = [f"Proved as well: {statement(converted, length)}."] if length else []
    lines += [f"Not proved: {one}." for one in open]
    return " ".join(lines)
