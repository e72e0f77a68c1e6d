"""A probabilistic Turing machine is a decoder with chain of thought.

Statement: for every probabilistic Turing machine there is a decoder of three layers that gives every chain of actions,
on every word, the probability that the machine takes it; an answer's probability is the sum over the chains that lead
to it.
Idea: the decoder of a deterministic machine, whose last MLP writes log-probabilities instead of a choice.
Cite: Nowak, Svete, Butoi and Cotterell (2024), On the Representational Capacity of Neural Language Models with
Chain-of-Thought Reasoning.
Scope: probabilities are rational; their logarithms are rounded to the number system, and right to 1e-12 in float64 and
1e-6 in float32. Cells and positions are limited as for deterministic machines.
"""

from collections import defaultdict
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.automata.dfa import words_up_to
from capax.formal.turing.probabilistic import ChanceMachine, random_chances
from capax.model.model import Model
from capax.report import Report, joined
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.probabilistic import all_chains, same_chains, sampled_chain
from capax.theorems.turing.parts.tokens import ChainTokens

WORDS: tuple[str, ...] = ("", "0")


@dataclass(frozen=True, slots=True)
class TuringChanceParameters:
    """The parameters of the theorem."""

    states: int = parameter(3, "the states of the random machine", 1, 20)
    symbols: int = parameter(2, "the symbols of its tape", 2, 10)
    choices: int = parameter(2, "the most actions that it may take in a step", 1, 6)
    length: int = parameter(4, "all chains up to this length are checked", 1, 8)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))
    seed: int = parameter(0, "of the machine", 0, 2**31)


def machine_of(at: TuringChanceParameters) -> ChanceMachine:
    """The random machine of these parameters."""
    return random_chances(at.states, at.symbols, at.seed, choices=at.choices)


def construct(at: TuringChanceParameters) -> Model:
    """The decoder of the machine."""
    cells = None if at.dtype == "float64" else 100
    return decoder(machine_of(at), numbers=at.dtype, cells=cells)


def verify(model: Model, at: TuringChanceParameters) -> Report:
    """Whether short chains have the machine's probabilities, and every step of long random ones its distribution."""
    machine = machine_of(at)
    short = tuple(same_chains(model, machine, word, at.length) for word in WORDS)
    chains = [sampled_chain(model, machine, "0", 60, seed) for seed in range(5)]
    worst = max(chain.difference for chain in chains)
    long = Report(
        "every step of random chains of up to 60 tokens has the machine's distribution",
        "sampled",
        all(chain.agrees for chain in chains),
        len(chains),
        0,
        {"largest difference": worst},
    )
    return joined("the decoder's chains have the machine's probabilities", (*short, long))


def prove(model: Model, at: TuringChanceParameters, least: int) -> ModelProof | None:
    """Whether all chains up to the length on all words up to the length have the machine's probabilities."""
    machine = machine_of(at)
    words = list(words_up_to(machine.input, at.length))
    reports = [same_chains(model, machine, word, at.length) for word in words]
    wrong = next((one.counterexample for one in reports if not one.holds), None)
    inputs = f"chains of up to {at.length} tokens on words of up to {at.length} letters, each with its probability"
    return ModelProof(inputs, sum(one.count or 0 for one in reports), model.numbers, whole=True, counterexample=wrong)


def size(at: TuringChanceParameters) -> tuple[SizeRow, ...]:
    """The sizes."""
    machine, model = machine_of(at), construct(at)
    return (
        SizeRow("attention layers", model.depth, "O(1)"),
        SizeRow("heads", "+".join(map(str, model.size.heads)), "O(1)"),
        SizeRow("width", model.width),
        SizeRow("tokens of the chain", len(machine.actions) + 2, "", "actions that occur, limit and halt"),
        SizeRow("tokens for a step", 1, 1),
    )


def break_it(at: TuringChanceParameters) -> Report:
    """One chain instead of the sum over all that lead to the same: its probability is too small."""
    machine, model = machine_of(at), construct(at)
    statement = "the likeliest chain to a state has the probability that the machine is in that state"
    named = ChainTokens(machine)
    for length in range(1, at.length + 1):
        sums: dict[str, list[float]] = defaultdict(list)
        for chain, chance in all_chains(model, machine, "0", length).items():
            if len(chain) == length and chain[-1] != named.halt:
                sums[named.actions[chain[-1]].state].append(chance)
        for state, chances in sums.items():
            if len(chances) > 1:
                counterexample = {
                    "state": state,
                    "steps": length,
                    "likeliest chain": max(chances),
                    "all chains": sum(chances),
                }
                return Report(statement, "exhaustive", False, len(sums), counterexample=counterexample)
    return Report(statement, "exhaustive", True, 1)


THEOREM = theorem_in(
    __name__,
    TuringChanceParameters,
    assumptions=(
        "positions i, i^2 and 1/(i+1)",
        "tokens beyond the alphabet of words: each names the symbol written, the move and the next state",
        "an answer's probability is the sum over all chains that lead to it",
    ),
    attention="average-hard; causal mask",
    precision="that of the probabilities, besides O(log T) bits",
    small=({"seed": 4, "choices": 3, "length": 3}, {"dtype": "float32", "seed": 2}),
    large=({"states": 5, "symbols": 3, "choices": 3, "length": 5},),
)
