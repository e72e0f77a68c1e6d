"""What the checks of one model at several lengths, and in several number systems, share."""

import math
from dataclasses import dataclass, field

from capax.certify.budget import WorkBudget
from capax.certify.hints import HeadHints, hints_of
from capax.certify.values.axes import Axes
from capax.model.model import Model
from capax.rasp.ir.nodes import SOpNode


@dataclass(slots=True)
class ProofCache:
    """Results that are the same in every number system.

    `axes` has the values of the program for each length (and whether they were coarsened), with the work that they
    took: it is counted again where they are used again, so that a verdict does not depend on what was tried before it.
    `plain` are the systems in which the model's own weights were found to be plain numbers. Lengths from `too_long` on
    have too many combinations of values.
    """

    hints: HeadHints | None = None
    axes: dict[tuple[int, bool], tuple[Axes, int]] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)
    too_long: float = math.inf

    def hints_for(self, model: Model, root: SOpNode) -> HeadHints:
        """What the heads are said to compute, which is the same at every length."""
        if self.hints is None:
            self.hints = hints_of(model, root)
        return self.hints

    def axes_for(self, model: Model, root: SOpNode, longest: int, budget: WorkBudget, *, coarse: bool) -> Axes:
        """The values of the program up to a length."""
        key = longest, coarse
        if key in self.axes:
            axes, work = self.axes[key]
            budget.spend(work)
            return axes
        before = budget.verdict.spent
        parts = self.hints_for(model, root).width_parts
        axes = Axes(root, model.vocabulary.tokens, longest, parts, coarse=coarse, budget=budget)
        self.axes[key] = axes, budget.verdict.spent - before
        return axes
