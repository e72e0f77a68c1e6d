"""Tokens as Hugging Face names them, and the tokenizer of a model as the text of its file."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.model.vocabulary import Token


@dataclass(frozen=True, slots=True)
class TokenIds:
    """The names of the ids 0, 1, ..., of which the first `read` are the model's own tokens.

    `prefix` has the ids that the tokenizer puts before every word; `pad` and `end` are ids, or None.
    `chars`: words are written without spaces.
    """

    names: tuple[str, ...]
    read: int
    prefix: tuple[int, ...]
    pad: int | None
    end: int | None
    chars: bool


def named(values: Iterable[Token], taken: Iterable[str] = ()) -> list[str]:
    """A name for each value, different from the others and from those taken; without blanks, and not empty.

    A string is its own name if it can be, and a number is written as in JSON.
    """
    used = set(taken)
    names = []
    for value in values:
        text = value if isinstance(value, str) else json.dumps(value)
        text = text if text.strip() and not _has_inner_blank(text) else _visible(text)
        name, number = text, 1
        while name in used:
            number += 1
            kind = type(value).__name__
            name = f"{text}:{kind}" if number == 2 else f"{text}:{kind}:{number}"
        used.add(name)
        names.append(name)
    return names


def _has_inner_blank(text: str) -> bool:
    return any(c.isspace() for c in text)


def _visible(text: str) -> str:
    """A text with blanks and control characters written out; a single blank character stays as it is."""
    if len(text) == 1:
        return text
    return "".join(f"\\u{ord(c):04x}" if c.isspace() else c for c in text) or "<empty>"


def tokens_of(
    vocabulary: Sequence[Token], prefix: Sequence[int], end: Token | None, *, own_pad: bool = True
) -> TokenIds:
    """The tokens of a model whose prefix has these rows; `end` is an answer that is not a token: generation ends there.

    Without a row of its own there is no pad token: one of the words' tokens would be left out of generated texts.
    """
    names = named(vocabulary)
    words = [name for row, name in enumerate(names) if row not in prefix]
    chars = all(len(name) == 1 for name in words)
    if not chars:  # a blank could not be told from what separates words
        names = [name if name.strip() else f"\\u{ord(name):04x}" for name in names]
    more = ([] if end is None else [end if str(end).strip() else "<end>"]) + (["<pad>"] if own_pad else [])
    extra = named(more, names)
    pad = len(names) + len(extra) - 1 if own_pad else None
    return TokenIds((*names, *extra), len(names), tuple(prefix), pad, None if end is None else len(names), chars)


def text_of(tokens: TokenIds, names: Sequence[str]) -> str:
    """A word as a text that the tokenizer splits into these names."""
    return ("" if tokens.chars else " ").join(names)


LISTED: Final = 12
"""An error names at most this many tokens."""
MOST_REPEATS: Final = 100_000
"""What a regular expression can count to; longer texts are left to the model, which has no positions for them."""


def tokenizer_json(tokens: TokenIds, longest: int) -> dict[str, Any]:
    """The tokenizer: it splits a text into characters or at blanks, and puts the prefix before it.

    A text with an unknown token is an error, and so is one of more than `longest` tokens, which is first exchanged for
    an unknown one. Of all kinds of tokenizers only BPE has an error with words of ours in it: it says which token it
    misses for unknown ones, and the name of that token is what there is to say. It merges nothing here.
    """
    special = dict.fromkeys((*tokens.prefix, *(i for i in (tokens.pad, tokens.end) if i is not None)))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    before = [{"SpecialToken": {"id": tokens.names[i], "type_id": 0}} for i in tokens.prefix]
    split: dict[str, Any] = {"type": "WhitespaceSplit"}
    if tokens.chars:
        split = {"type": "Split", "pattern": {"Regex": r"[\s\S]"}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": tokens.names[i], **flags} for i in sorted(special)],
        "normalizer": _refusal_json(tokens, longest) if longest < MOST_REPEATS else None,
        "pre_tokenizer": split,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [*before, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [*before, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {
                tokens.names[i]: {"id": tokens.names[i], "ids": [i], "tokens": [tokens.names[i]]}
                for i in dict.fromkeys(tokens.prefix)
            },
        },
        "decoder": {"type": "Fuse"} if tokens.chars else None,
        "model": {
            "type": "BPE",
            "vocab": {n: i for i, n in enumerate(tokens.names)},
            "merges": [],
            "ignore_merges": True,  # a token of several characters is looked up as a whole
            # and is not taken apart: no token begins as its later characters would have to
            "continuing_subword_prefix": None if tokens.chars else _foreign(tokens),
            "unk_token": f"a token that is none of {_listed(tokens)}, or a text of more than {longest:,} tokens",
        },
    }


def _refusal_json(tokens: TokenIds, longest: int) -> dict[str, Any]:
    """The change of a text of too many tokens into one that no vocabulary has."""
    more = rf"\A[\s\S]{{{longest + 1}}}[\s\S]*" if tokens.chars else rf"\A\s*(?>\S+\s+){{{longest}}}\S[\s\S]*"
    return {"type": "Replace", "pattern": {"Regex": more}, "content": _foreign(tokens)}


def _foreign(tokens: TokenIds) -> str:
    """A character that no token has."""
    used = set("".join(tokens.names))
    return next(c for c in map(chr, range(0xE000, 0xF8FF)) if c not in used)


def _listed(tokens: TokenIds) -> str:
    """The tokens that a text may have."""
    words = [name for row, name in enumerate(tokens.names[: tokens.read]) if row not in tokens.prefix]
    text = ", ".join(json.dumps(word, ensure_ascii=False) for word in words[:LISTED])
    return text + (f" and {len(words) - LISTED:,} more" if len(words) > LISTED else "")


def tokenizer_config_json(tokens: TokenIds, *, left: bool) -> dict[str, Any]:
    """The settings of the tokenizer; words of a batch are filled up on the left where the model generates.

    There is no `model_max_length`: pipelines cut texts to it without a word.
    """
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "padding_side": "left" if left else "right",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        # in a text the name of a special token has no meaning: `10` is not `1` and the special `0`
        "split_special_tokens": True,
    }
    if tokens.pad is not None:
        config["pad_token"] = tokens.names[tokens.pad]
    if tokens.prefix:
        config["bos_token"] = tokens.names[tokens.prefix[0]]
    if tokens.end is not None:
        config["eos_token"] = tokens.names[tokens.end]
    return config
