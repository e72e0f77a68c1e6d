"""The tokens of a checkpoint: from its tokenizer where it has one, else the ids themselves."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.io.container import bad_file
from capax.model.io.fields import is_text
from capax.model.vocabulary import Token

_HINT: Final = "remove the file to have tokens by number"


def tokens_of(files: Mapping[str, Any], size: int, name: str) -> tuple[Token, ...]:
    """The token of each id: a string by a tokenizer.json or vocab.json among the files, else the id.

    An id that the tokenizer has no token for is called `<unused 7>`.
    """
    known = _known(files, name)
    if known is None:
        return tuple(range(size))
    texts: dict[int, str] = {}
    for text, number in known.items():
        if not is_text(text) or type(number) is not int or number < 0:
            raise bad_file(name, f"the vocabulary of its tokenizer has {text!r:.40} with the id {number!r:.40}", _HINT)
        if number < size:
            texts.setdefault(number, text)
    taken = set(texts.values())
    return tuple(texts[i] if i in texts else _unused(i, taken) for i in range(size))


def _unused(number: int, taken: set[str]) -> str:
    name = f"<unused {number}>"
    while name in taken:
        name += "'"
    return name


def _known(files: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    if "tokenizer.json" in files:
        whole = files["tokenizer.json"]
        model = whole.get("model") if isinstance(whole, dict) else None
        vocabulary = model.get("vocab") if isinstance(model, dict) else None
        if not isinstance(vocabulary, dict):
            if isinstance(vocabulary, list):  # a list of tokens with their scores
                vocabulary = {
                    row[0]: i for i, row in enumerate(vocabulary) if isinstance(row, list) and row and is_text(row[0])
                }
            else:
                raise bad_file(name, "its tokenizer.json has no vocabulary", _HINT)
        listed = whole.get("added_tokens")
        added = listed if isinstance(listed, list) else []
        more = {t["content"]: t.get("id") for t in added if isinstance(t, dict) and is_text(t.get("content"))}
        return {**vocabulary, **more}
    if "vocab.json" in files:
        vocabulary = files["vocab.json"]
        if not isinstance(vocabulary, dict):
            raise bad_file(name, "its vocab.json is not an object", _HINT)
        return vocabulary
    return None


def prefix_of(files: Mapping[str, Any], tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens that the tokenizer puts before every word, if it puts none after it."""
    whole = files.get("tokenizer.json")
    post = whole.get("post_processor") if isinstance(whole, dict) else None
    if not isinstance(post, dict) or post.get("type") != "TemplateProcessing":
        return ()
    single = post.get("single")
    if not isinstance(single, list) or not single or not isinstance(single[-1], dict) or "Sequence" not in single[-1]:
        return ()
    first = [part.get("SpecialToken") if isinstance(part, dict) else None for part in single[:-1]]
    names = [part.get("id") if isinstance(part, dict) else None for part in first]
    return tuple(str(n) for n in names) if all(isinstance(n, str) and n in tokens for n in names) else ()
