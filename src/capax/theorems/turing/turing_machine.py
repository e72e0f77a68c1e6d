"""A Turing machine is a decoder of three layers with chain of thought.

Statement: for every Turing machine with one tape there is a decoder of three layers with 1, 2 and 1 heads that, after
the prompt of any word, generates the machine's actions one by one, and a last token if it halts.
Idea: the mean of the moves is h / (i + 1); a lookup of positions makes the head's cell h of it; a second lookup finds
the last write to that cell. One unit of the last MLP for each state and symbol decides.
Cite: Perez, Barcelo and Marinkovic (2021), Attention is Turing-complete: encoder and decoder with hard attention;
Merrill and Sabharwal (2024), The Expressive Power of Transformers with Chain of Thought; Nowak, Svete, Butoi and
Cotterell (2024), On the Representational Capacity of Neural Language Models with Chain-of-Thought Reasoning; Wei, Chen
and Ma (2021), Statistically meaningful approximation: a case study on approximating Turing machines with transformers.
Scope: the statement is for all lengths in exact arithmetic. In floats it holds up to limits that are computed
beforehand (`capax.theorems.turing.parts.decoder_limits`): hard attention is exact for 31,635,421 cells on each side in
float64 and 1,364 in float32; softmax for 38,302 and 47 positions, or more positions with fewer cells. Beyond its cells
a decoder generates `<far>` for ever; more positions are refused. Of statistically meaningful approximation the
examples that Occam's bound asks for are computed (`capax.theorems.turing.parts.meaningful`), not the margins of the
paper.
"""

from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.report import Report, joined
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.turing.parts.alphabet import without_new_symbols, without_states
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.decoder_limits import DIGITS, limits
from capax.theorems.turing.parts.examples import MACHINE, SEED, STATES, SYMBOLS, machine_of, words_of
from capax.theorems.turing.parts.follow import agreement, proved_steps
from capax.theorems.turing.parts.meaningful import examples_enough


@dataclass(frozen=True, slots=True)
class TuringMachineParameters:
    """The parameters of the theorem."""

    machine: str = like(MACHINE)
    steps: int = parameter(300, "the most steps of the check", 1, 100_000)
    attention: str = parameter("hard", "how scores become weights", choices=("hard", "softmax"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))
    states: int = like(STATES)
    symbols: int = like(SYMBOLS)
    seed: int = like(SEED)


def construct(at: TuringMachineParameters) -> Model:
    """The decoder of the machine."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    longest = max(map(len, words_of(at.machine, machine, at.seed)))
    if at.attention == "softmax" or at.dtype == "float32":
        # So many cells and positions as the steps can reach at most, or as many as the numbers have.
        positions = at.steps + longest + 2
        cells = limits(at.attention, at.dtype).cells
        return decoder(
            machine, attention=at.attention, numbers=at.dtype, cells=min(cells, positions), positions=positions
        )
    return decoder(machine, attention=at.attention, numbers=at.dtype)


def verify(model: Model, at: TuringMachineParameters) -> Report:
    """Whether a model takes every step of the machine: on short words, all of them, and on random ones."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    words = words_of(at.machine, machine, at.seed)
    statement = f"the decoder generates the actions of {at.machine}, up to {at.steps:,} of them and its halt"
    return agreement(model, machine, words, at.steps, statement, at.seed if len(words) > 1 else None)


def prove(model: Model, at: TuringMachineParameters, least: int) -> ModelProof | None:
    """Whether a model takes every step of the machine on all words of up to a length."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    return proved_steps(model, machine, at.steps, least)


def size(at: TuringMachineParameters) -> tuple[SizeRow, ...]:
    """The sizes, beside those of the sketch in the literature where it has any."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    model = construct(at)
    count, letters = len(machine.states), len(machine.symbols)
    sized = model.size
    return (
        SizeRow("attention layers", model.depth, "O(1)"),
        SizeRow("heads", "+".join(map(str, sized.heads)), "O(1)"),
        SizeRow("head dimension", sized.head_dimension, "O(symbols)", "the last head copies a symbol"),
        SizeRow(
            "width", model.width, f"{2 * letters + count + 17 + model.decoding.outputs}", "symbols, states, tokens"
        ),
        SizeRow(
            "tokens of the chain",
            len(machine.actions) + 2,
            3 * count * letters + 2,
            "actions that occur, limit and halt",
        ),
        SizeRow("units of the last MLP", len(machine.rules), count * letters, "rules; at most states times symbols"),
        SizeRow("tokens for a step", 1, 1),
        SizeRow("weights times bits", sized.bits, "", "at most 2^bits models have this shape, and this one is right"),
        SizeRow(
            "examples, by Occam's bound",
            examples_enough(sized.bits, 0.01, 0.01),
            "poly(states, symbols, log T)",
            "from the bits above: with so many, what fits them errs on at most 1 % of inputs, with probability 99 %. "
            "Not the theorem of Wei et al., whose bound by margins is cited beside it",
        ),
        *(
            SizeRow(
                f"cells on each side, {kind} attention, {numbers}",
                limits(kind, numbers).cells,
                "any",
                "up to which every chain of as many positions is right",
            )
            for kind in ("hard", "softmax")
            for numbers in DIGITS
        ),
    )


def break_it(at: TuringMachineParameters) -> Report:
    """Tokens that say less: without states, or with symbols of words alone, what is read does not decide what follows.

    A machine whose only word is empty has no symbols to write with; `increment` is then taken for the second part.
    """
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    lettered = machine if machine.input else machine_of("increment", at.states, at.symbols, at.seed)
    parts = (without_states(machine, words_of(at.machine, machine, at.seed), at.steps), without_new_symbols(lettered))
    return joined("a chain of thought can do with fewer tokens", parts)


THEOREM = theorem_in(
    __name__,
    TuringMachineParameters,
    assumptions=(
        "positions i, i^2 and 1/(i+1)",
        "tokens beyond the alphabet of words: each names the symbol written, the move and the next state",
        "scores that tell 1/(2T) apart after T tokens, so O(log T) bits",
    ),
    attention="average-hard, or softmax with a scale proportional to the length; causal mask",
    precision="O(log T) bits: integers up to 4 h^2 for cells up to h, and fractions of 1/(2T)",
    small=(
        {"machine": "bb3", "attention": "softmax"},
        {"machine": "increment", "dtype": "float32"},
        {"machine": "palindrome", "attention": "softmax"},
        {"machine": "tag", "steps": 400},
        {"machine": "random", "seed": 7, "states": 8, "symbols": 5},
        {"machine": "bb2", "attention": "softmax", "dtype": "float32", "steps": 10},
    ),
    large=(
        {"machine": "bb5", "steps": 20_000, "dtype": "float32"},
        {"machine": "bouncer", "steps": 10_000},
        {"machine": "copy", "steps": 1_000, "attention": "softmax"},
    ),
)
