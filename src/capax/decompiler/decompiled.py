"""What came of decompiling: the program or why there is none, its parts, how often it agrees, and what is proved."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from capax.auditor.verdict import Audit
from capax.decompiler.ablation import AblatedPart
from capax.decompiler.automaton import Automaton
from capax.decompiler.naming import size
from capax.display import Told
from capax.rasp.analysis.loop_schedule import loop_schedule
from capax.rasp.analysis.schedule import schedule
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.python.program import SOp

Route: TypeAlias = Literal["heads", "answers", "automaton"]
ROUTES: dict[Route, str] = {
    "heads": "read from its heads",
    "answers": "learned from its answers",
    "automaton": "the automaton of its answers",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """On how many held-out words, of which lengths, a program and a model give the same answers."""

    words: int
    same: int
    lengths: tuple[int, int]
    seed: int

    @property
    def share(self) -> float:
        """The share of the words with the same answers."""
        return self.same / max(1, self.words)


@dataclass(frozen=True, slots=True)
class HeadReport:
    """A head in words: its title, what it selects or averages (or None), and what it gives."""

    title: str
    does: str | None
    gives: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decompiled(Told):
    """A model's program, if one was found, and the evidence.

    `route` says whether it was read from the heads, was learned from the answers, or runs the automaton of the answers;
    `fitted` is the length of the longest words that were looked at; `agreement` is on longer ones. `automaton` is the
    one that was learned, if it is small.
    `best` is the agreement of the best program on the words that it was fitted to, where none was right on all of them.
    """

    program: SOp | None
    route: Route
    fitted: int
    agreement: Agreement | None
    heads: tuple[HeadReport, ...]
    parts: tuple[AblatedPart, ...]
    audit: Audit | None = None
    automaton: Automaton | None = None
    tables: float | None = None
    """The share of answers that stay when tables by token and distance replace the attention (one trained layer)."""
    best: float = 0.0
    reason: str | None = None

    @property
    def proved(self) -> bool:
        """Whether a program was found and the audit proved it equal on all lengths that were asked for."""
        return self.program is not None and self.audit is not None and self.audit.proved

    @property
    def states(self) -> int | None:
        """The number of states of the automaton."""
        return None if self.automaton is None else self.automaton.size

    @property
    def nodes(self) -> int | None:
        """The number of nodes of the program."""
        return None if self.program is None else size(self.program.node)

    @property
    def layers(self) -> str | None:
        """The number of layers of the program; a formula if it has a loop."""
        if self.program is None:
            return None
        looped = has_loop(self.program.node)
        return loop_schedule(self.program).formula if looped else str(schedule(self.program).depth)

    @property
    def heads_of_program(self) -> tuple[int, ...] | None:
        """The number of heads in each layer of the program; those of a loop are there once."""
        if self.program is None:
            return None
        if not has_loop(self.program.node):
            return schedule(self.program).heads_merged
        loop = loop_schedule(self.program)
        return tuple(len(layer.heads) for part in (loop.prelude, loop.body, loop.coda) for layer in part[1:])

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        layers, heads = self.layers, self.heads_of_program
        agreement = self.agreement
        return {
            "program": None if self.program is None else self.program.to_text(),
            "nodes": self.nodes,
            "layers": int(layers) if layers is not None and layers.isdecimal() else layers,
            "heads_of_program": None if heads is None else list(heads),
            "route": self.route,
            "fitted_to_length": self.fitted,
            "agreement": None
            if agreement is None
            else {
                "share": agreement.share,
                "words": agreement.words,
                "same": agreement.same,
                "lengths": list(agreement.lengths),
                "seed": agreement.seed,
            },
            "heads": [
                {"head": h.title, "does": h.does, "gives": list(h.gives), "reason": h.reason} for h in self.heads
            ],
            "ablation": [{"part": p.part, "answers_kept_without": p.kept} for p in self.parts],
            "states_of_automaton": self.states,
            "answers_kept_by_tables": self.tables,
            "best_agreement": self.best,
            "reason": self.reason,
            "audit": None if self.audit is None else self.audit.to_json(),
        }
