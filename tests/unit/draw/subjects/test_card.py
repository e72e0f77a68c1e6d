"""Cards of compiled programs and of results."""

import capax
from capax import indices, select, selector_width, tokens


def test_a_compiled_program_has_a_card() -> None:
    """Its certificate, its size, and a picture."""
    compiled = capax.compile(selector_width(select(tokens, tokens, "==")), alphabet="ab<", max_length=5)
    card = compiled._repr_mimebundle_()
    assert card["text/plain"] == repr(compiled)
    assert "certified in float32 up to length 5" in card["text/html"]
    assert f"parameters {compiled.size.parameters}" in card["text/html"]
    assert "<svg" in card["text/html"]
    assert "&lt;" in card["text/html"]


def test_reports_sizes_certificates_and_runs_have_cards() -> None:
    compiled = capax.compile(indices + 1, alphabet="ab", max_length=4)
    run = compiled.model.run("ab")
    for value, text in (
        (compiled.check, "right on all words"),
        (compiled.size, "parameters"),
        (compiled.certificate, "float32: certified up to length 4"),
        (run, "['a', 'b'] -> [1, 2]"),
    ):
        card = value._repr_mimebundle_()
        assert text in card["text/plain"]
        assert "<pre>" in card["text/html"]
