"""From fixed-point models to formulas: heads with sinks, ties in rounding, average-hard heads, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.formal.automata.dfa import words_up_to
from capax.formal.logic.foc.text import parse_foc, printed_normal
from capax.model.model import Model
from capax.model.parts import Head, Sink
from capax.theorems.languages.fixed_precision_formula import THEOREM, random_model
from capax.theorems.languages.majority import voting
from capax.theorems.languages.parts.logic import model_formula as module
from capax.theorems.languages.parts.logic.model_formula import model_formula, period_of


def with_heads(model: Model, attention: str, sink: bool) -> Model:
    """The model with another kind of heads, and with sinks."""
    blocks = []
    for block in model.blocks:
        heads = []
        for head in block.heads:
            assert isinstance(head, Head)
            own = Sink(np.array([0.5]), np.array([1.25])) if sink else None
            heads.append(replace(head, attention=attention, sink=own))
        blocks.append(replace(block, heads=tuple(heads)))
    return replace(model, blocks=tuple(blocks))


@pytest.mark.parametrize("attention", ["softmax", "average-hard"])
@pytest.mark.parametrize("sink", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 5])
def test_formulas_are_the_models(attention: str, sink: bool, seed: int) -> None:
    """At every position of all words of up to nine tokens; and the printed formula can be read."""
    at = THEOREM.at(seed=seed, bits=5)
    model = with_heads(random_model(at, "float64"), attention, sink).to("fixed:5.2")
    formula = model_formula(model)
    words = [list(word) for word in words_up_to(formula.alphabet, 9, least=1)]
    answers = [[bool(answer) for answer in line] for line in model.batch(words)]
    assert answers == [formula.answers(word) for word in words]
    for kind in formula.says:
        parse_foc(printed_normal(formula.normal(kind)))


def test_a_vote_without_mask_is_one_inequality() -> None:
    """The mean of +1 and -1 in eighths, and a threshold: a sentence, the same at all positions."""
    blocks = [
        replace(block, heads=tuple(replace(head, mask="none") for head in block.heads))
        for block in voting("softmax").blocks
    ]
    steep = voting("softmax")
    calm = replace(steep.readout, map=replace(steep.readout.map, weight=steep.readout.map.weight / 2.0**53))
    formula = model_formula(replace(steep, blocks=tuple(blocks), readout=calm).to("fixed:8.3"))
    assert formula.same
    assert len(formula.normal(("0", 0)).inequalities) == 1
    # 1/8 above 0 after rounding to eighths: the mean is above 1/16
    assert [formula.answers("1" * k + "0" * 15)[0] for k in (15, 17, 18)] == [False, False, True]


@pytest.mark.parametrize(
    ("name", "period"),
    [
        ("1", 1),
        ("(-1)^i", 2),
        ("i%6", 6),
        ("[i%4=1]", 4),
        ("cos(i*2.0943951023931953)", 3),
        ("i", None),
        ("sin(i*1.0)", None),
    ],
)
def test_periods_of_positions(name: str, period: int | None) -> None:
    """After which a function repeats."""
    assert period_of(name) == period


def test_other_models_are_refused() -> None:
    """With the reason."""
    model = THEOREM.build()
    with pytest.raises(CapaxError, match="not in fixed point"):
        model_formula(random_model(THEOREM.at(), "float32"))
    with pytest.raises(CapaxError, match="with a mask"):
        model_formula(voting("softmax").to("fixed:8.3"))
    with pytest.raises(CapaxError, match="do not repeat"):
        model_formula(replace(model, positions=replace(model.positions, functions=("i",))))
    with pytest.raises(CapaxError, match="neither softmax nor average-hard"):
        model_formula(with_heads(model, "leftmost-hard", False))
    with pytest.raises(CapaxError, match="9 types"):
        model_formula(THEOREM.build(symbols=3, period=3))


def test_too_many_regions_are_refused_as_soon_as_they_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for all of them there is a formula; with one less there is an error, before the last part is cut."""
    model = THEOREM.construct(THEOREM.at(layers=2, seed=2))
    regions = model_formula(model).regions
    monkeypatch.setattr(module, "MOST_REGIONS", regions)
    assert model_formula(model).regions == regions
    monkeypatch.setattr(module, "MOST_REGIONS", regions - 1)
    with pytest.raises(CapaxError, match="regions"):
        model_formula(model)
