"""What directions stand for at which hooks: in turn, where they are reused."""

import numpy as np

import capax as cx
from capax.model.interpretability.lens_model import lens_model, run, words_of_length
from capax.model.interpretability.lens_stream import direction_uses, stream_hooks, stream_points
from capax.model.model import REUSED

HOP2 = cx.compile(cx.library.hop2, alphabet="abc", max_length=8, causal=True, target="transformer-lens").model
HIST2 = cx.compile(cx.library.hist2_nobos, alphabet="abc", max_length=6, target="transformer-lens").model


def test_a_reused_direction_has_its_uses_in_turn() -> None:
    """The hooks of its names follow one another, and a hook of none is between them: there it is 0."""
    lens, hooks = lens_model(HIST2), stream_hooks(lens_model(HIST2))
    uses = direction_uses(lens, HIST2.names)
    number = next(n for n, name in enumerate(HIST2.names) if REUSED in name)
    assert [use.name for use in uses[number]] == HIST2.names[number].split(REUSED)
    places = [hooks.index(hook) for use in uses[number] for hook in (use.first or "", use.last or "")]
    assert places == sorted(places)
    assert places[2] > places[1] + 1
    result = run(lens, words_of_length(lens, 6, 50, seed=4))
    points = stream_points(lens, result.streams, result.outputs)
    between = points[places[1] + 1][:, lens.start :, number]
    assert not between.any()
    assert np.abs(points[places[1]][:, lens.start :, number]).max() > 0.5


def test_every_direction_has_hooks() -> None:
    """Those of the token before words are there on it alone."""
    uses = direction_uses(lens_model(HOP2), HOP2.names)
    assert all(use.first is not None for own in uses for use in own)
    assert uses[HOP2.names.index("tokens:code")][0].first == "blocks.0.hook_resid_pre"
    assert uses[HOP2.names.index("at_2^2")][0].first == "blocks.2.hook_resid_mid"


def test_uses_that_do_not_show_are_not_guessed() -> None:
    """A direction that is never cleared is said to have two names."""
    lens = lens_model(HOP2)
    (first, second) = direction_uses(lens, [f"x{REUSED}y", *HOP2.names[1:]])[0]
    assert (first.first, second.first) == (None, None)
