"""The pictures of `capax atlas`: the classes with the models in them, and the table as a page with filters."""

from typing import Any

from capax.app.commands._atlas_results import Overview
from capax.atlas.inference.proof import by_definition
from capax.atlas.records import Atlas
from capax.atlas.setting import FIELDS, MODELS
from capax.atlas.table import cells, placements
from capax.draw.subjects.atlas_lattice import LatticeLine, draw_lattice, lattice_boxes
from capax.draw.subjects.atlas_table import draw_table


def lattice_svg(atlas: Atlas) -> str:
    """The classes as an SVG document, with the kinds of transformers placed in it."""
    models: dict[str, list[tuple[str, str]]] = {}
    for one in placements(atlas):
        if one.exactly is not None:
            models.setdefault(one.exactly, []).append(("exactly", one.model))
            continue
        for how, classes in (("at_least", one.at_least), ("at_most", one.at_most)):
            for cls in classes:
                models.setdefault(cls, []).append((how, one.model))
    equal = [(one.small, one.big) for one in atlas.inclusions if one.strict == "no"]
    boxes, box_of = lattice_boxes({one.id: one.what for one in atlas.classes}, equal, models)
    pairs = {
        (box_of[one.small], box_of[one.big]): one.strict == "open"
        for one in atlas.inclusions
        if box_of[one.small] != box_of[one.big] and one.strict != "no"
    }
    lines = [LatticeLine(small, big, dashed) for (small, big), dashed in pairs.items()]
    return draw_lattice(boxes, lines, "Classes of languages, and what transformers recognise")


def table_html(atlas: Atlas, what_if: str | None = None) -> str:
    """The table of models and languages, and all claims, as one page that needs nothing else."""
    fields = {name: list(field.values) for name, field in FIELDS.items()}
    return draw_table(table_json(atlas), Overview().claims_json(), fields, what_if)


def table_json(atlas: Atlas) -> dict[str, Any]:
    """The table of models and languages, as plain data."""
    rows: dict[str, dict[str, dict[str, object]]] = {}
    for cell in cells(atlas):
        records = cell.answer.proofs[0].records if cell.answer.proofs else ()
        rows.setdefault(cell.model, {})[cell.language] = {
            "answer": cell.answer.verdict,
            "assuming": list(cell.answer.assuming),
            "by": [one.id for one in records if not by_definition(one)],
            "carried": [one.id for one in records if by_definition(one)],
        }
    settings = {name: setting.to_json() for name, setting in MODELS.items()}
    return {"languages": {one.id: one.what for one in atlas.languages}, "models": settings, "cells": rows}
