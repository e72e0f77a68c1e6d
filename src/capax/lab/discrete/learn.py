"""From words to a discrete network: rounds of training, the best networks refined, until every word is right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from capax.lab.discrete.discrete_settings import DiscreteSettings
from capax.lab.discrete.examples import Examples, Lexicon, held_out_words, lexicon_of, training_words
from capax.lab.discrete.network import DiscreteNetwork
from capax.lab.discrete.refine import Solved, refine, solve
from capax.model.export.target import need

CHECK_EVERY: Final = 50
"""After so many steps the networks are looked at, and training ends when one answers every word right."""
FEW_WORDS: Final = 400
"""How many words changes are tried on first."""
REFINE_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class DiscreteProgress:
    """Where a run stands: the round, the step of it or the network that is refined, and the best accuracy so far."""

    round: int
    what: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class LearnedNetwork:
    """The network that was learned, and how: steps in all, rounds, accuracies before and after refinement."""

    network: DiscreteNetwork
    lexicon: Lexicon
    rounds: int
    steps: int
    trained_accuracy: float
    """On the words learned from, by training alone: the likeliest choices, before refinement."""
    training_accuracy: float
    accuracy: float
    """On the words held out."""
    held_out: Examples


WatchDiscrete: TypeAlias = Callable[[DiscreteProgress], None]


@dataclass(slots=True)
class _Best:
    """The best network so far, by the share of words learned from that it answers right."""

    network: DiscreteNetwork
    accuracy: float
    trained: float
    steps: int = 0

    def take(self, network: DiscreteNetwork, accuracy: float, trained: float) -> None:
        if accuracy > self.accuracy:
            self.network, self.accuracy, self.trained = network, accuracy, trained


def learn(
    settings: DiscreteSettings,
    *,
    watch: WatchDiscrete = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> LearnedNetwork:
    """The best network after rounds of training and refinement; `stop` may end them early, after the first steps."""
    need("torch", ("torch",))
    from capax.lab.train.soft_training import train_soft
    from capax.lab.train.train import torch_threads

    data = settings.data_settings()
    lexicon, examples = lexicon_of(data), training_words(data, settings.words)
    few = examples.first(FEW_WORDS)
    best: _Best | None = None
    number = 0
    with torch_threads(1):
        for number in range(settings.rounds):
            networks: list[DiscreteNetwork] = []
            for progress, likeliest in train_soft(settings, examples, lexicon, number=number):
                last = progress.step + 1 == settings.steps or stop()
                if best is not None:
                    best.steps += 1
                if (progress.step + 1) % CHECK_EVERY and not last and best is not None:
                    continue
                networks = likeliest()
                ranked = sorted(networks, key=lambda network: -examples.accuracy(network))
                top = examples.accuracy(ranked[0])
                if best is None:
                    best = _Best(ranked[0], top, top, 1)
                best.take(ranked[0], top, top)
                watch(DiscreteProgress(number, f"step {progress.step + 1}", best.accuracy))
                if last or best.accuracy == 1.0:
                    break
            assert best is not None
            _refine_best(best, networks, settings, examples, few, number, watch, stop)
            if best.accuracy == 1.0 or stop():
                break
    assert best is not None
    held_out = held_out_words(data, settings.test_words, examples)
    network = best.network
    return LearnedNetwork(
        network,
        lexicon,
        number + 1,
        best.steps,
        best.trained,
        best.accuracy,
        held_out.accuracy(network) if len(held_out.flat) else best.accuracy,
        held_out,
    )


def _refine_best(
    best: _Best,
    networks: list[DiscreteNetwork],
    settings: DiscreteSettings,
    examples: Examples,
    few: Examples,
    number: int,
    watch: WatchDiscrete,
    stop: Callable[[], bool],
) -> None:
    """Refines the likeliest networks, on a few words and then on all, until one answers every word right."""
    solved = sorted((solve(network, few) for network in networks), key=lambda s: s.score, reverse=True)
    for candidate in solved[: settings.refined]:
        if stop():
            return
        refined = _refined(candidate, examples, few, stop)
        best.take(refined, examples.accuracy(refined), examples.accuracy(candidate.network))
        watch(DiscreteProgress(number, "refined", best.accuracy))
        if best.accuracy == 1.0:
            best.network = refined
            return


def _refined(candidate: Solved, examples: Examples, few: Examples, stop: Callable[[], bool]) -> DiscreteNetwork:
    """The network after refinement on a few words, with the readout of all words; on all, if that is not enough."""
    network = solve(refine(candidate.network, few, rounds=REFINE_ROUNDS, stop=stop), examples).network
    if examples.accuracy(network) == 1.0 or examples.accuracy(network) < 0.97:
        return network
    return refine(network, examples, rounds=2, stop=stop)
