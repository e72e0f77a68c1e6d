"""A deterministic automaton as a decoder of two layers: after a word it says the states, one by one, and a verdict.

Layer 1 counts: the mean over all positions of "the mark after the word, or a state" is t / (i + 1), with t the number
of the letter to read next. Layer 2 looks position t up, with the score 2 t j / (i + 1) - j^2 / (i + 1), and copies its
letter. Position n + 1 holds the mark, which stands for the end. A unit for each state and letter gives the next state.
"""

from collections.abc import Sequence

from capax.formal.automata.dfa import Dfa
from capax.model.model import Model
from capax.model.parts import Mlp, Readout
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.turing.parts.decoder_limits import most_cells
from capax.theorems.weights.stream import Stream, each, family

YES, NO, GO = "<accept>", "<reject>", "<go>"


def reader(dfa: Dfa, numbers: str = "float64") -> Model:
    """The decoder that reads a word, then generates the states along it and a verdict."""
    states, letters = family("state", dfa.size), family("letter", len(dfa.alphabet) + 1)
    seen, state_names = family("seen", len(letters)), tuple(f"then {q}" for q in range(dfa.size))
    stream = Stream(("i", "i^2", "r", "count", "mean", *states, *letters, *seen, *state_names, "then yes", "then no"))
    named = tuple(f"<{q}>" for q in range(dfa.size))
    rows: list[dict[str, float]] = [{}, *({letters[a]: 1.0} for a in range(len(dfa.alphabet)))]
    rows.append({letters[-1]: 1.0, "count": 1.0, states[dfa.start]: 1.0})
    rows += [{"count": 1.0, states[q]: 1.0} for q in range(dfa.size)]
    count = stream.head(
        query=[{"": 0.0}], key=[{"": 0.0}], value=[{"count": 1.0}], into=["mean"],
        attention="average-hard", mask="causal", name="the number of letters read",
    )  # fmt: skip
    look = stream.head(
        query=[{"mean": 2.0}, {"r": -1.0}], key=[{"i": 1.0}, {"i^2": 1.0}], value=each(letters), into=seen,
        attention="average-hard", mask="causal", name="the letter to read",
    )  # fmt: skip
    return Model(
        vocabulary=Vocabulary(("<s>", *dfa.alphabet, GO, *named, YES, NO)),
        embedding=stream.rows([*rows, {}, {}]),
        positions=stream.positions({"i": "i", "i^2": "i^2", "1/(i+1)": "r"}),
        blocks=(stream.block(count), stream.block(look, mlp=_step(dfa, stream, states, seen, state_names))),
        readout=Readout(stream.affine(each((*state_names, "then yes", "then no")))),
        decoding=Classes((*named, YES, NO)),
        names=stream.names,
        # A letter's position and the positions of states: the last of twice the word is looked at by none.
        max_length=2 * (most_cells("hard", numbers) - 1),
        prefix=("<s>",),
        provenance=Provenance(thoughts={"go": GO, "longest": most_cells("hard", numbers) - 2}),
    ).to(numbers)


def _step(dfa: Dfa, stream: Stream, states: Sequence[str], seen: Sequence[str], state_names: Sequence[str]) -> Mlp:
    units: dict[str, dict[str, float]] = {}
    writes: dict[str, dict[str, float]] = {name: {} for name in (*state_names, "then yes", "then no")}
    for q in range(dfa.size):
        for a in range(len(seen)):
            unit = f"{q}, {a}"
            units[unit] = {states[q]: 1.0, seen[a]: 1.0, "": -1.0}
            end = a == len(dfa.alphabet)
            target = ("then yes" if q in dfa.accepting else "then no") if end else state_names[dfa.delta[q][a]]
            writes[target][unit] = 1.0
    return stream.mlp([units], writes)


def chain(model: Model, word: Sequence[str]) -> list[str]:
    """What the decoder generates after a word: its states and the verdict."""
    return [str(token) for token in model.generate([*word, GO], len(word) + 1)]


def verdict(model: Model, word: Sequence[str]) -> bool:
    """Whether the decoder accepts a word, at the end of its chain."""
    return chain(model, word)[-1] == YES
