"""Models that a site brings along."""

import numpy as np
import pytest

from capax.app.site.shelf import shelf
from capax.app.web.gallery import GALLERY
from capax.app.web.jobs.editor import evaluate

onnxruntime = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like


def test_every_example_is_there_with_a_certificate() -> None:
    assert [one.name for one in shelf()] == [one.name for one in GALLERY]
    for one in shelf():
        assert one.reply["compiled"]["certified_length"] == one.longest
        assert one.reply["attention"]["note"] is None
        assert "graph" not in one.to_json()


@pytest.mark.parametrize("name", [one.name for one in GALLERY])
def test_graphs_answer_as_the_interpreter_does(name: str) -> None:
    """On words that are not the example's: what the page computes from the logits."""
    one = next(one for one in shelf() if one.name == name)
    session = onnxruntime.InferenceSession(one.graph)
    rng = np.random.default_rng(8)
    for length in (1, 3, one.longest):
        ids = rng.integers(0, len(one.tokens), (1, length))
        word = "".join(one.tokens[i] for i in ids[0])
        word = one.tokens[0] + word[1:] if one.tokens[0] == "§" else word
        ids = np.array([[one.tokens.index(letter) for letter in word]])
        (logits, *patterns) = session.run(None, {"ids": ids, "lengths": np.array([length])})
        expected = evaluate({"text": one.text, "word": word, "name": one.program}, None)
        assert [one.classes[i] for i in logits[0].argmax(1)] == expected["values"][one.program]["values"]
        assert all(np.allclose(weights.sum(3), 1, atol=1e-5) for weights in patterns)
