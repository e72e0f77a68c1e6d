"""From words to a discrete network: rounds of training, the best networks refined, until every word is right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from capax.errors import CapaxError
from capax.lab.discrete.discrete_settings import DiscreteSettings
from capax.lab.discrete.examples import DiscreteExamples, Lexicon, held_out_words, lexicon_of, training_words
from capax.lab.discrete.network import DiscreteNetwork
from capax.lab.discrete.refine import Score, Solved, refine, solve
from capax.lab.discrete.to_rasp import with_plain_readout
from capax.model.export.target import need

CHECK_EVERY: Final = 50
"""After so many steps the networks are looked at, and training ends when one answers every word right."""
FEW_WORDS: Final = 400
"""How many words changes are tried on first."""
REFINE_ROUNDS: Final = 8
MOST_CODES: Final = 26
MOST_NUMBERS: Final = 20_000_000
ALMOST: Final = 0.97
"""A network that answers so many words right is refined on all words as well."""


@dataclass(frozen=True, slots=True)
class DiscreteProgress:
    """Where a run stands: the round, what was done last, and the accuracy that it gave on words learned from."""

    round: int
    what: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class LearnedNetwork:
    """The network that was learned, and how: rounds, steps in all, accuracies before and after refinement."""

    network: DiscreteNetwork
    lexicon: Lexicon
    rounds: int
    steps: int
    trained_accuracy: float
    """The best on words learned from by training alone: the likeliest choices, before anything is solved or refined."""
    training_accuracy: float
    accuracy: float
    """On the words held out."""
    held_out: DiscreteExamples


WatchDiscrete: TypeAlias = Callable[[DiscreteProgress], None]


def learn(
    settings: DiscreteSettings,
    *,
    watch: WatchDiscrete = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> LearnedNetwork:
    """The best network after rounds of training and refinement; `stop` may end them early, after the first steps."""
    need("torch", ("torch",))
    from capax.lab.train.train import torch_threads

    data = settings.data_settings()
    lexicon = lexicon_of(data)
    _check_size(settings, lexicon)
    examples = training_words(data, settings.words)
    run = _Run(settings, lexicon, examples, watch, stop)
    with torch_threads(1):
        while run.rounds < settings.rounds and run.accuracy < 1 and not (run.rounds and stop()):
            run.refine(run.train())
    assert run.best is not None
    network, lexicon = with_plain_readout(run.best, lexicon, examples)
    held_out = held_out_words(data, settings.test_words, examples)
    accuracy = held_out.accuracy(network) if len(held_out.flat) else run.accuracy
    return LearnedNetwork(network, lexicon, run.rounds, run.steps, run.trained, run.accuracy, accuracy, held_out)


def _check_size(settings: DiscreteSettings, lexicon: Lexicon) -> None:
    """Refuses networks whose tables or whose tensors are too large."""
    codes, n, heads = lexicon.codes, settings.max_length, settings.counts + settings.picks
    if codes > MOST_CODES:
        what = (
            f"{len(lexicon.tokens):,} tokens and words of {n} need {codes:,} codes; a discrete network has {MOST_CODES}"
        )
        raise CapaxError("too-large", what, hint="fewer tokens, or a smaller max_length")
    largest = settings.restarts * settings.batch * n * max(codes**2 * max(1, settings.tables), n**2 * heads)
    if largest > MOST_NUMBERS:
        what = f"training would take tensors of {largest:,} numbers; the limit is {MOST_NUMBERS:,}"
        raise CapaxError("too-large", what, hint="make restarts, batch or max_length smaller")


class _Run:
    """A run under way: the best network so far, and how many of the words learned from it answers right."""

    def __init__(
        self,
        settings: DiscreteSettings,
        lexicon: Lexicon,
        examples: DiscreteExamples,
        watch: WatchDiscrete,
        stop: Callable[[], bool],
    ) -> None:
        self.settings, self.lexicon, self.examples, self.few = settings, lexicon, examples, examples.first(FEW_WORDS)
        self.watch, self.stop = watch, stop
        self.best: DiscreteNetwork | None = None
        self.accuracy, self.trained = 0.0, 0.0
        self.rounds = self.steps = 0

    def train(self) -> list[Solved]:
        """A round of training: its networks, the best first, with the readouts that are solved for."""
        from capax.lab.train.soft_training import train_soft

        solved: list[Solved] = []
        for step, likeliest in train_soft(self.settings, self.examples, self.lexicon, number=self.rounds):
            self.steps += 1
            last = step == self.settings.steps or self.stop()
            if step % CHECK_EVERY and not last:
                continue
            networks = likeliest()
            self.trained = max(self.trained, *(self.few.accuracy(network) for network in networks))
            solved = sorted((solve(network, self.few) for network in networks), key=_score, reverse=True)
            self.watch(DiscreteProgress(self.rounds + 1, f"step {step}", self.few.accuracy(solved[0].network)))
            if last or self.few.accuracy(solved[0].network) == 1.0:
                break
        self.rounds += 1
        return solved

    def refine(self, solved: list[Solved]) -> None:
        """Refines the best networks, on a few words and then on all, until one answers every word right."""
        for candidate in solved[: self.settings.refined]:
            if self.best is not None and (self.accuracy == 1.0 or self.stop()):
                return
            network = refine(candidate.network, self.few, rounds=REFINE_ROUNDS, stop=self.stop)
            network = solve(network, self.examples).network
            if ALMOST <= self.examples.accuracy(network) < 1.0:
                network = refine(network, self.examples, rounds=2, stop=self.stop)
            accuracy = self.examples.accuracy(network)
            if self.best is None or accuracy > self.accuracy:
                self.best, self.accuracy = network, accuracy
            self.watch(DiscreteProgress(self.rounds, "refined", self.accuracy))


def _score(solved: Solved) -> Score:
    return solved.score
