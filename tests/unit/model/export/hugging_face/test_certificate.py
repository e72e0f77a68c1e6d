"""What the sentences of a Hugging Face certificate say is compared with what was found."""

from typing import Any

import pytest

from capax.model.export.hugging_face.certificate import says_otherwise

READS = "every map that reads a direction x of the stream after a norm reads a number within 1e-6 * |x| of x"
SAID = "every answer is the program's, for all words of 1 to 6 tokens on which the program has a value, in float32"
HIDDEN = SAID.replace("the program's", "that of the program with later positions hidden") + "; first on 'ab'"


@pytest.mark.parametrize("text", [SAID, HIDDEN])
def test_the_sentence_that_follows(text: str) -> None:
    assert says_otherwise({"proved": [READS, text]}, 6, "float32") is None
    assert says_otherwise({"proved": [READS, text]}, 5, "float32") is not None
    assert says_otherwise({"proved": [READS, text]}, 6, "float64") is not None


@pytest.mark.parametrize(
    "proved",
    [
        [READS, SAID.replace("to 6", "to 4000")],
        [READS, SAID.replace("float32", "float16")],
        [READS, SAID, SAID.replace("to 6", "to 60")],
        [READS, SAID, "it is right on all words"],
        [READS, "every answer is right"],
        [READS],
        SAID,
        None,
        [READS, 6],
    ],
)
def test_other_sentences_are_refused(proved: Any) -> None:
    assert says_otherwise({"proved": proved}, 6, "float32") is not None
    assert says_otherwise(proved, 6, "float32") is not None
