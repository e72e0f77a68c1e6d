"""The pictures of `capax atlas`: the classes with the models in them, and the table as a page with filters."""

from capax.app.atlas import overview, table, world
from capax.atlas.placement import places
from capax.atlas.setting import FIELDS
from capax.draw.subjects.atlas_lattice import LatticeLine, draw_lattice, lattice_boxes
from capax.draw.subjects.atlas_table import draw_table


def lattice_svg(what_if: str | None = None) -> str:
    """The classes as an SVG document, with the kinds of transformers placed in it."""
    atlas = world(what_if)
    models: dict[str, list[tuple[str, str]]] = {}
    for place in places(atlas):
        if place.exactly is not None:
            models.setdefault(place.exactly, []).append(("exactly", place.model))
            continue
        for how, classes in (("at_least", place.at_least), ("at_most", place.at_most)):
            for cls in classes:
                models.setdefault(cls, []).append((how, place.model))
    equal = [(one.small, one.big) for one in atlas.inclusions if one.strict == "no"]
    boxes, at = lattice_boxes({one.id: one.what for one in atlas.classes}, equal, models)
    pairs = {
        (at[one.small], at[one.big]): one.strict == "open"
        for one in atlas.inclusions
        if at[one.small] != at[one.big] and one.strict != "no"
    }
    lines = [LatticeLine(small, big, dashed) for (small, big), dashed in pairs.items()]
    return draw_lattice(boxes, lines, "Classes of languages, and what transformers recognise")


def table_html(what_if: str | None = None) -> str:
    """The table of models and languages, and all claims, as one page that needs nothing else."""
    fields = {name: list(field.values) for name, field in FIELDS.items()}
    return draw_table(table(world(what_if)), overview()["claims"], fields, what_if)
