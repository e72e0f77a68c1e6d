"""A picture as plain data, which the pages draw themselves: layers, heads with their weights, and what they compute."""

from typing import Any

from capax.draw.view.view import Flow, HeadGrid, LayerBox, Row


def flow_json(flow: Flow) -> dict[str, Any]:
    """A flow, layer by layer; that of a loop with its rounds, each a flow."""
    rounds = {"rounds": [{"step": step, **flow_json(one)} for step, one in flow.rounds]} if flow.rounds else {}
    return rounds | {
        "title": flow.title,
        "word": flow.word,
        "size": flow.size,
        "layers": [_layer(layer) for layer in flow.layers],
    }


def _layer(layer: LayerBox) -> dict[str, Any]:
    return {
        "number": layer.number,
        "heads": [_head(head) for head in layer.heads],
        "rows": [_row(row) for row in layer.feed_forward],
    }


def _head(head: HeadGrid) -> dict[str, Any]:
    sides = {"keys": head.keys, "queries": head.queries, "values": head.values, "outputs": head.outputs}
    return {
        "label": head.label,
        "name": head.name,
        "formula": head.formula,
        "where": head.where,
        "counts": head.counts,
        "cells": head.cells.to_json(),
        "across": head.across,
        "down": head.down,
        "slices": [_head(one) for one in head.slices],
    } | {side: [_row(row) for row in rows] for side, rows in sides.items()}


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "values": list(row.values),
        "ends": list(row.ends),
        "formula": row.formula,
        "result": row.is_result,
    }
