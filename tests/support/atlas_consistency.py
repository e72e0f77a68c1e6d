"""Contradictions in an atlas: everything that follows from its records, compared."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from capax.atlas.inference.closure import inside, outside
from capax.atlas.inference.infer import shows_has, shows_lacks
from capax.atlas.inference.order import at_most
from capax.atlas.records import Atlas, Claim
from capax.atlas.setting import Setting, value_of


def contradictions(atlas: Atlas) -> list[str]:
    """Each language that is proved both in and out: of a class, or of the models of one setting.

    If a construction and a bound meet in some setting, then one is reached from the construction's by changes that
    need something, and it is at most the bound's: it is enough to compare those.
    """
    found = []
    for language in atlas.languages:
        for cls in atlas.classes:
            in_, out = inside(atlas, language.id, cls.id), outside(atlas, language.id, cls.id)
            if in_ is not None and out is not None and not out.assuming:
                found.append(f"{language.id} and {cls.id}: {in_.ids} against {out.ids}")
    bounds = [claim for claim in atlas.claims if claim.upper]
    for lower in (claim for claim in atlas.claims if claim.lower):
        settings = [setting for start in lower.settings for setting in reached(atlas, start)]
        for upper in bounds:
            pairs = product(settings, upper.settings)
            if any(here.read == there.read and at_most(atlas, here, there) is not None for here, there in pairs):
                found += _against(atlas, lower, upper)
    return found


def _against(atlas: Atlas, lower: Claim, upper: Claim) -> list[str]:
    """The languages that a construction has and a bound excludes."""
    found = []
    for language in atlas.languages:
        has, lacks = shows_has(atlas, lower, language.id), shows_lacks(atlas, upper, language.id)
        if has is not None and lacks is not None and not lacks.assuming:
            found.append(f"{language.id}: {has.ids} against {lacks.ids}")
    return found


def reached(atlas: Atlas, start: Setting) -> list[Setting]:
    """The least settings that changes with needs lead to, the start first: all else is reached from them by others."""
    found, todo = [start], [start]
    while todo:
        for setting in _one_change(atlas, todo.pop()):
            if setting not in found:
                found.append(setting)
                todo.append(setting)
    return found


def _one_change(atlas: Atlas, start: Setting) -> Iterator[Setting]:
    """The settings after one change that needs something, with the needed fields raised where they must be."""
    for step in (one for one in atlas.variants if one.needs):
        raised = [
            [value_of(start, name)] if value_of(start, name) in allowed else list(allowed)
            for name, allowed in step.needs.items()
        ]
        for values in product(*raised):
            ready = replace(start, **dict(zip(step.needs, values, strict=True)), **{step.field: step.weaker})
            if at_most(atlas, start, ready) is not None:
                yield replace(ready, **{step.field: step.stronger})
