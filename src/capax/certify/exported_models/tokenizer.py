"""Whether the tokenizer of an exported directory gives texts the ids that its proof is about.

Files of a tokenizer can do much to a text. So they are compared, as a whole, with those that the tokens in `capax.json`
and the tokens before every word ask for; what differs is said.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from capax.certify.exported_models.directory import listed_answers
from capax.certify.not_certified import NotCertified
from capax.errors import CapaxError
from capax.model.export.hugging_face.tokens import TokenIds, tokenizer_config_json, tokenizer_json, tokens_of
from capax.model.io.container import parse_json
from capax.model.vocabulary import token_key

FILES: Final = ("tokenizer.json", "tokenizer_config.json")
_LONGEST: Final = re.compile(r"a text of more than ([0-9,]{1,20}) tokens\Z")


def other_tokenizer(files: Mapping[str, bytes], before: Sequence[int], length: int) -> str | None:
    """What of the tokenizer is not as the proof for words up to a length assumes, in words, or None."""
    missing = next((name for name in FILES if name not in files), None)
    if missing is not None:
        return f"there is no {missing}, which gives texts their ids"
    try:
        tokenizer, settings, notes = (parse_json(files[name], name, "it") for name in (*FILES, "capax.json"))
    except CapaxError as error:
        return f"the tokenizer is damaged: {error.what}"
    try:
        return _other(tokenizer, settings, notes, before, length)
    except (NotCertified, LookupError, ValueError, TypeError, AttributeError) as error:
        return f"the tokenizer is damaged, or what capax.json says of tokens: {error!s:.80}"


def _other(tokenizer: Any, settings: Any, notes: Any, before: Sequence[int], length: int) -> str | None:
    generates = notes["task"] == "text-generation"
    expected = _expected(notes, before, generates=generates)
    names, found = [name for name, _ in notes["tokens"]], tokenizer["model"]["vocab"]
    if names != list(expected.names[: expected.read]) or notes["characters"] is not expected.chars:
        return "capax.json has other names for tokens than their own"
    if generates and notes["rows"] != _rows(notes, expected):
        return "capax.json has other ids for answers than those of their tokens"
    wrong = next((name for i, name in enumerate(expected.names) if found.get(name) != i), None)
    if wrong is not None:
        given, own = found.get(wrong), expected.names.index(wrong)
        return f"tokenizer.json gives the token {wrong!r:.40} the id {given!r:.20}, and the proof is about {own}"
    if len(found) != len(expected.names):
        return "tokenizer.json has tokens that the model has not"
    longest = _LONGEST.search(tokenizer["model"]["unk_token"])
    most = int(longest[1].replace(",", "")) if longest else 0
    if most < length:
        return f"tokenizer.json does not say that it takes texts of {length:,} tokens"
    right = tokenizer_json(expected, most)
    if tokenizer.get("post_processor") != right["post_processor"]:
        put = " ".join(expected.names[i] for i in before) or "nothing"
        return f"tokenizer.json does not put {put} before every text, which the proof assumes"
    name = _differs(tokenizer, right)
    if name is not None:
        return f"tokenizer.json has another {name!r:.40} than an export"
    name = _differs(settings, tokenizer_config_json(expected, left=generates))
    return None if name is None else f"tokenizer_config.json has another {name!r:.40} than an export"


def _expected(notes: Any, before: Sequence[int], *, generates: bool) -> TokenIds:
    """The ids of the tokens that the notes list, of the end of a text where an answer is none, and of padding."""
    tokens = [token for _, token in notes["tokens"]]
    known = {token_key(token) for token in tokens}
    values, _ = listed_answers(notes)
    ends = [value for value in values if token_key(value) not in known] if generates else []
    return tokens_of(tokens, before, ends[0] if ends else None)


def _rows(notes: Any, expected: TokenIds) -> list[int | None]:
    """The ids of the answers."""
    ids = {token_key(token): i for i, (_, token) in enumerate(notes["tokens"])}
    return [ids.get(token_key(value), expected.end) for value in listed_answers(notes)[0]]


def _differs(found: Mapping[str, Any], right: Mapping[str, Any]) -> str | None:
    """The name of an entry that is not the same in both."""
    names = [*right, *(name for name in found if name not in right)]
    return next((name for name in names if name not in found or name not in right or found[name] != right[name]), None)
