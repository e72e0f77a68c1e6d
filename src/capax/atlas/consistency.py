"""Everything that follows, searched for contradictions."""

from capax.atlas.closure import inside, outside
from capax.atlas.infer import shows_has, shows_lacks
from capax.atlas.order import at_most
from capax.atlas.records import Atlas


def contradictions(atlas: Atlas) -> list[str]:
    """Each language that is proved both in and out: of a class, or of the models of one setting.

    If a construction and a bound meet in any setting at all, the construction's setting is at most the bound's, so it
    is enough to compare those.
    """
    found = []
    for language in atlas.languages:
        for cls in atlas.classes:
            in_, out = inside(atlas, language.id, cls.id), outside(atlas, language.id, cls.id)
            if in_ is not None and out is not None and not out.assuming:
                found.append(f"{language.id} and {cls.id}: {in_.ids} against {out.ids}")
    for lower in (claim for claim in atlas.claims if claim.lower):
        for upper in (claim for claim in atlas.claims if claim.upper):
            if at_most(atlas, lower.setting, upper.setting) is None:
                continue
            for language in atlas.languages:
                has, lacks = shows_has(atlas, lower, language.id), shows_lacks(atlas, upper, language.id)
                if has is not None and lacks is not None and not lacks.assuming:
                    found.append(f"{language.id}: {has.ids} against {lacks.ids}")
    return found
