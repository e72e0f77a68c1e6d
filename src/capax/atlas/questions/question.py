"""Questions from Python: `ask("softmax log-precision : S5")`."""

from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, contains, recognises, region
from capax.atlas.inference.what_if import suppose
from capax.atlas.questions.keywords import parse
from capax.atlas.records import Atlas


def ask(text: str, *, what_if: str | None = None, atlas: Atlas = ATLAS) -> Answer:
    """The answer to a question in keywords: whether some such transformers recognise a language, or all of a class.

    `what_if` is an assumption such as `TC0 = NC1`; `atlas.without("L6")` asks what would follow without a record.
    """
    known = atlas if what_if is None else suppose(atlas, what_if)
    given, name, is_class = parse(known, text)
    return (contains if is_class else recognises)(known, region(**given), name)
