"""The dictionary of a model: sums of atoms, the hooks from which variables are there, and models without atoms."""

import numpy as np

from capax.model.interpretability.lens_model import run, with_prefix
from capax.model.interpretability.lens_stream import stream_hooks, stream_points
from capax.suite.case_files import inputs_for
from capax.suite.levels.build import build_level
from capax.suite.programs.suite_program import compiled_case, written_programs
from capax.suite.truth.features import activations, dictionary, identity_error, read_features, without_atoms
from capax.suite.truth.pairs import pair_metric, word_pair_rows

PROGRAM = next(program for program in written_programs("family") if program.id == "first-equals-here")


def test_a_variable_is_there_from_its_first_hook_on() -> None:
    """In its own directions the stream is then its atom; just before, it is not on some word."""
    case = compiled_case(PROGRAM)
    model, _ = build_level("rotated", inputs_for(case, 0))
    features = dictionary(model, case.variables, case.model.names, 0)
    rows = with_prefix(model.lens, features.tokens[(features.tokens >= 0).all(1)])
    codes = features.codes[(features.tokens >= 0).all(1)]
    result, hooks = run(model.lens, rows), stream_hooks(model.lens)
    points = [point[:, model.lens.start :] for point in stream_points(model.lens, result.streams, result.outputs)]
    for variable, hook in enumerate(features.first_hook):
        axes = features.direction[features.owner == variable]
        atoms = features.atoms[codes[..., variable]] @ axes.T
        apart = [float(np.abs(point @ axes.T - atoms).max()) for point in points]
        at = hooks.index(hook)
        assert max(apart[at:]) < 1e-4
        assert at == 0 or apart[at - 1] > 1e-3
    assert features.first_hook[features.names.index("equal")] != hooks[0]


def test_a_dictionary_comes_back() -> None:
    """From its bytes; and one without atoms says so."""
    case = compiled_case(PROGRAM)
    model, _ = build_level("plain", inputs_for(case, 0))
    features = dictionary(model, case.variables, case.model.names, 0)
    again, shown = read_features(features.to_bytes(activations(model.lens, features.tokens[:4])))
    assert (again.names, again.value, again.first_hook) == (features.names, features.value, features.first_hook)
    assert identity_error(again, model.lens) == 0.0
    assert shown.shape[0] == 4
    unknown = without_atoms(features, 7)
    assert not unknown.known
    assert identity_error(unknown, model.lens) is None


def test_the_metric_is_the_difference_of_two_logits() -> None:
    """At the position of each pair; positive on clean words and negative on corrupted ones."""
    lens = compiled_case(PROGRAM).lens
    pairs = [pair for pair in word_pair_rows(lens, 0) if len(pair.clean) == 4]
    for side, sign in (("clean", 1), ("corrupted", -1)):
        words = [[lens.tokens.index(letter) for letter in getattr(pair, side)] for pair in pairs]
        logits = run(lens, with_prefix(lens, np.array(words))).logits
        assert (sign * pair_metric(logits, pairs, lens.start) > 0).all()


def test_rounding_makes_no_features() -> None:
    """Heads that cancel leave rounding behind: every variable is there once all the same, and each of its values."""
    case = compiled_case(next(program for program in written_programs("family") if program.id == "most-frequent"))
    model, _ = build_level("cancelling", inputs_for(case, 0))
    features = dictionary(model, case.variables, case.model.names, 0)
    assert len(set(features.names)) == len(features.names)
    atoms = list(zip(features.variable.tolist(), features.value, strict=True))
    assert len(set(atoms)) == len(atoms)
    assert (identity_error(features, model.lens) or 0.0) < 1e-3
