"""Well-known models, and what the limits say of them."""

import math

import pytest

from capax.limits import limit
from capax.limits.base.small_or_large import block_parameters
from capax.limits.known.table import KnownModel, known_models, known_row

MODELS = known_models()


@pytest.mark.parametrize("model", MODELS[::3], ids=lambda model: model.name)
def test_the_limits_bind_from_the_sizes_that_are_listed(model: KnownModel) -> None:
    """The limits themselves: impossible there, no statement one before."""
    row = known_row(model, 16, 0.1)
    layer = {"heads": model.heads, "dim": model.dim, "bits": 16}
    cases = [
        ("composition", row.composition, layer),
        ("match3", row.match3, layer),
        ("triangle-graph", row.triangles, layer | {"layers": model.layers, "heads": model.key_heads}),
    ]
    for name, least, at in cases:
        kinds = [limit(name).run(n=n, **at).verdict.kind for n in (least - 1, least)]
        assert kinds == ["no-statement", "impossible"], name
    q = (row.sparse_averaging - 1) // 2
    averages = limit("sparse-averaging").run(n=2 * q + 1, q=q, dim=model.width, bits=16)
    assert averages.verdict.kind == "impossible"
    assert averages["attention: least m p"].value == model.width * 16 + 1
    assert model.context**row.exponent == pytest.approx(row.message)


def test_the_sizes_of_the_file_are_consistent() -> None:
    """Heads times their dimension is the width, but for models whose descriptions say otherwise."""
    others = {model.name for model in MODELS if model.heads * model.dim != model.width}
    assert others == {"PaLM 540B"}
    named = {"GPT-3 175B": 175e9, "Gopher 280B": 280e9, "BLOOM 176B": 176e9, "GPT-2 XL": 1.5e9, "Pythia 12B": 12e9}
    for model in MODELS:
        if model.name in named:
            assert math.isclose(block_parameters(model.layers, 1, model.width), named[model.name], rel_tol=0.1), (
                model.name
            )


def test_small_and_large() -> None:
    """By the threshold that is given."""
    model = next(model for model in MODELS if model.name == "Llama 3.1 8B")
    assert [known_row(model, 16, t).size for t in (0.1, 0.9, 1.0)] == ["large", "large", "small"]
