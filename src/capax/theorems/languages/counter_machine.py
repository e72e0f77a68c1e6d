"""Simplified stateless counter machines by one uniform head.

Statement: for every simplified stateless counter machine with k counters (each symbol adds fixed numbers to them; at
the end some combinations of zero and not zero are accepted) there is a transformer of one layer with one softmax head,
a future mask, no positions and one feed-forward network that answers at every position of every word whether the
machine accepts the word up to there. The same weights serve all lengths.
Idea: a head whose scores are all 0 has every counter divided by the number of positions, and from a sink 1 divided by
it. Half of this 1 minus the size of a counter is above 0 exactly if the counter is zero; AND and OR are the least and
the greatest of such numbers, which ReLU units compute.
Cite: Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal
languages: any such machine by a transformer with a future mask and no positions. The reading of counters by the sign of
a least and a greatest, and the sink in place of a first token, are an own construction for the cited statement.
Scope: updates add fixed numbers; those that reset a counter are not read. Counters may be negative, and no condition
holds before the end: languages that must not go below zero on the way, such as Dyck-1, are other theorems here. Right
for all lengths over the reals; in floating point up to the length in the table, for words that need not be tried.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import Source
from capax.formal.counters.machine import CounterMachine
from capax.formal.counters.machines import counter_source
from capax.formal.counters.text import parse_counters
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.logic.counters import counting_model, exact_length
from capax.theorems.proofs import proved_language

NAME = "counter-machine"


def machine_of(machine: str) -> CounterMachine:
    """A machine by its name, or from its text, with `;` between lines."""
    if "->" in machine:
        return parse_counters(Source("machine", machine.replace(";", "\n")))
    return parse_counters(counter_source(machine))


@dataclass(frozen=True, slots=True)
class CounterMachineParameters:
    """The parameters of the theorem."""

    machine: str = parameter("ratios", "a machine of capax by name, or the lines of one with ; between them")
    length: int = parameter(60, "the greatest length that is tried", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: CounterMachineParameters) -> Model:
    """The model; it is the same for every length."""
    return counting_model(machine_of(at.machine)).to(at.dtype)


def verify(model: Model, at: CounterMachineParameters) -> Report:
    """Whether a model accepts what the machine does: all short words, and random ones that often balance."""
    return recognises(model, machine_of(at.machine).language(), at.length)


def prove(model: Model, at: CounterMachineParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, machine_of(at.machine).language(), at.length, least=least)


def size(at: CounterMachineParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the machine's."""
    machine = machine_of(at.machine)
    built = construct(at).size
    return (
        SizeRow("counters k", machine.counters),
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", sum(built.heads), 1, "one uniform head holds all counters"),
        SizeRow("width of the stream", built.width, "O(k)", "2 k + 2"),
        SizeRow("depth of the MLP", max(built.mlp_depth), "O(log)", "in the conditions of all patterns"),
        SizeRow("right in floating point up to length", exact_length(machine, at.dtype), "", at.dtype),
    )


def break_it(at: CounterMachineParameters) -> Report:
    """No sink: no number tells how far from zero a counter is."""
    machine = machine_of(at.machine)
    model = counting_model(machine, sink=False).to(at.dtype)
    language = machine.language()
    short = [[symbol] * times for symbol in machine.alphabet for times in (1, 2, 3)]
    words = [*short, *random_words(language, min(at.length, 12), 300)]
    return recognises_some(model, language, words, "the machine by a head without a sink", seed=LANGUAGES.seed)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Every counter machine."""
    if isinstance(thing, CounterMachine):
        note = f"over the reals for all lengths; in float64 up to length {exact_length(thing, 'float64'):,}"
        what = f"one uniform head for {thing.counters} counter{'s' * (thing.counters != 1)}; softmax, future mask"
        yield Route(NAME, what, lambda: counting_model(thing), note=note)


THEOREM = theorem_in(
    __name__,
    CounterMachineParameters,
    assumptions=("a sink with score 0, which stands for a first token",),
    attention="softmax (uniform); future mask (each position sees itself and earlier ones)",
    precision="O(log N) bits",
    small=(
        {"machine": "balance", "length": 1_000},
        {"machine": "thirds", "dtype": "float32", "length": 300},
        {"machine": "axes"},
        {"machine": "a -> +1 -1 ; b -> 0 +2 ; accept ! ! ; accept 0 0", "length": 200},
        {"machine": "a -> 0 ; b -> 0 ; accept *"},
    ),
    large=({"machine": "balance", "length": 3_000}, {"length": 2_000, "dtype": "float32"}),
)
