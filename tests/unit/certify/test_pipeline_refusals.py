"""Models that the check of a length does not reason about are refused, each for one part that it has."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import check_length, refuse_norms
from capax.certify.recheck.recheck import spec_of
from capax.model.model import Model
from capax.model.parts import Norm, Readout
from tests.support.perturbed import compiled


def norm_of(model: Model) -> Norm:
    """A norm as wide as a model."""
    return Norm("layer", np.ones(model.width, np.float32), np.zeros(model.width, np.float32), 1e-5)


def in_last_block(**norms: bool) -> Callable[[Model], Model]:
    """Puts norms into the last block alone."""

    def change(model: Model) -> Model:
        *others, last = model.blocks
        added = {name: norm_of(model) for name in norms}
        return replace(model, blocks=(*others, replace(last, **added)))  # type: ignore[arg-type]

    return change


REFUSED: dict[str, Callable[[Model], Model]] = {
    "before the heads": in_last_block(attention_norm=True),
    "before the MLP": in_last_block(mlp_norm=True),
    "before both": in_last_block(attention_norm=True, mlp_norm=True),
    "before the last map": lambda m: replace(m, readout=Readout(m.readout.map, norm_of(m))),
    "a token before words": lambda m: replace(m, prefix=(m.vocabulary.tokens[0],)),
}


@pytest.mark.parametrize("how", REFUSED)
def test_one_norm_or_a_prefix_is_enough_to_be_refused(how: str) -> None:
    """A norm rescales what heads and MLPs read, and a prefix is one more key: bounds without them would be wrong."""
    made = compiled("reverse")
    spec = spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    refuse_norms(made.model)
    changed = REFUSED[how](made.model)
    with pytest.raises(NotCertified, match="models with norms or a prefix are not certified"):
        refuse_norms(changed)
    with pytest.raises(NotCertified, match="models with norms or a prefix are not certified"):
        check_length(changed, spec, numbers="float32", longest=2)


@pytest.mark.parametrize("name", ["match3", "pairs of equal tokens before", "reverse"])
def test_heads_of_any_order_are_certified_with_the_keys_of_words_alone(name: str) -> None:
    """Unless more keys are asked for, which heads of third order have no bounds for."""
    made = compiled(name)
    spec = spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    assert check_length(made.model, spec, numbers="float32", longest=3).length == 3
    if name == "reverse":
        return
    with pytest.raises(NotCertified, match="is of third order"):
        check_length(made.model, spec, numbers="float32", longest=3, keys=20)
