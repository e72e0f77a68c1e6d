"""Methods of maintained packages on the models of a suite, where these packages are installed.

auto-circuit (Miller, Chughtai and Saunders 2024) has a source for tokens and positions together. Clean and corrupted
words have one length, so that positions add nothing, and its score of that source is that of the tokens.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from itertools import groupby
from typing import Any, Final

import torch

from capax.errors import CapaxError
from capax.model.interpretability.graph import Edge, GraphShape
from capax.suite.files import SuiteLevel, no_clock
from capax.suite.score.lens_methods import LensGraph
from capax.suite.score.model_scores import EdgeScore
from capax.suite.score.score import judged
from capax.suite.truth.edge_files import auto_circuit_edges
from capax.suite.truth.pairs import WordPair, rows_of_words

PACKAGE: Final = "auto_circuit"
"""Not an extra of capax: it needs an older TransformerLens, in an environment of its own."""
SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "auto-circuit-eap": {"mask_val": 0.0},
    "auto-circuit-ig": {"integrated_grad_samples": 5},
}
"""The methods, and what `mask_gradient_prune_scores` of auto-circuit gets for each."""


def auto_circuit_scores(
    model: SuiteLevel, methods: Sequence[str], pairs: int, clock: Callable[[], float] = no_clock
) -> list[EdgeScore]:
    """The scores of auto-circuit's methods on a model, at the positions of its pairs of words."""
    made_with = _versions()
    results = []
    for method in methods:
        started = clock()
        scores = _scores(model, SETTINGS[method], pairs)
        results.append(judged(model, method, scores, clock() - started, made_with))
    return results


def _versions() -> str:
    try:
        import_module(f"{PACKAGE}.utils.graph_utils")
    except Exception as error:  # it fails with errors of many kinds where its dependencies are of another version
        what = f"the package auto-circuit cannot be used here: {type(error).__name__}: {error!s:.100}"
        hint = "pip install auto-circuit transformer-lens==2.15.4, in an environment of its own"
        raise CapaxError("missing-extra", what, hint=hint) from None
    return ", ".join(f"{name} {_version(name)}" for name in ("auto-circuit", "transformer-lens"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "of no version"


def _scores(model: SuiteLevel, settings: Mapping[str, Any], pairs: int) -> dict[str, float]:
    """The score of each edge, summed over pairs of words."""
    mask_gradient = import_module(f"{PACKAGE}.prune_algos.mask_gradient").mask_gradient_prune_scores
    patchable_model = import_module(f"{PACKAGE}.utils.graph_utils").patchable_model
    lens = model.lens
    patchable = patchable_model(LensGraph(lens).model, factorized=True, separate_qkv=True, device=torch.device("cpu"))
    names = own_names(lens.shape)
    total = dict.fromkeys((edge.name for edge in lens.shape.edges(positions=False)), 0.0)
    for group in _groups(model.pairs, pairs):
        patchable.out_slice = (slice(None), lens.start + group[0].position)
        with warnings.catch_warnings(), redirect_stderr(StringIO()):  # it draws bars of its own
            warnings.simplefilter("ignore")
            found = mask_gradient(
                patchable, _loader(model, group), None, grad_function="logit", answer_function="avg_diff", **settings
            )
        for edge in patchable.edges:
            total[names[edge.name]] += len(group) * float(edge.prune_score(found))
    return total


def own_names(shape: GraphShape) -> dict[str, str]:
    """The names of edges in the graph of EAP by those of auto-circuit."""
    edges: list[Edge] = shape.edges(positions=False)
    return dict(zip(auto_circuit_edges(edges), (edge.name for edge in edges), strict=True))


def _groups(pairs: Sequence[WordPair], count: int) -> list[list[WordPair]]:
    """The first pairs of each length, those with an answer at one position together."""
    lengths = sorted({len(pair.clean) for pair in pairs})
    chosen = [pair for n in lengths for pair in [p for p in pairs if len(p.clean) == n][:count]]
    ordered = sorted(chosen, key=lambda pair: (len(pair.clean), pair.position))
    return [list(group) for _, group in groupby(ordered, key=lambda pair: (len(pair.clean), pair.position))]


def _loader(model: SuiteLevel, group: Sequence[WordPair]) -> Any:
    """The pairs as auto-circuit reads them, in one batch."""
    own = import_module(f"{PACKAGE}.data")
    clean, corrupted = (
        torch.tensor(rows_of_words(model.lens, [getattr(pair, side) for pair in group]))
        for side in ("clean", "corrupted")
    )
    answers, others = ([torch.tensor([getattr(p, name)]) for p in group] for name in ("correct", "incorrect"))
    data = own.PromptDataset(clean, corrupted, answers, others)
    return own.PromptDataLoader(data, seq_len=None, diverge_idx=0, batch_size=len(group))
