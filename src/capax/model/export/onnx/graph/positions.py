"""Functions of the place as nodes of a graph, in float64 as the models define them."""

import re

from capax.model.export.onnx.graph.nodes import DOUBLE, Nodes


def place_function(g: Nodes, name: str, i: str, n: str) -> str:
    """The values at places i (1, place) of words of n (batch, 1) tokens; they broadcast to (batch, place)."""

    def number(value: float) -> str:
        return g.constant(value, DOUBLE)

    def remainder(k: int) -> str:
        return g.op("Mod", i, number(k), fmod=1)

    if found := re.fullmatch(r"\[i%(\d+)=(\d+)\]", name):
        return g.cast(g.op("Equal", remainder(int(found[1])), number(int(found[2]))), DOUBLE)
    if found := re.fullmatch(r"i%(\d+)", name):
        return remainder(int(found[1]))
    if found := re.fullmatch(r"i\^(\d+)", name):
        return g.op("Pow", i, number(int(found[1])))
    if found := re.fullmatch(r"(sin|cos)\(i\*(.+)\)", name):
        return g.op(found[1].capitalize(), g.op("Mul", i, number(float(found[2]))))
    reciprocal = g.op("Div", number(1), g.op("Add", i, number(1)))
    match name:
        case "1":
            return number(1)
        case "i":
            return i
        case "1/(i+1)":
            return reciprocal
        case "i/n":
            return g.op("Div", i, n)
        case "1/n":
            return g.op("Div", number(1), n)
        case "(-1)^i":
            return g.op("Sub", number(1), g.op("Mul", number(2), remainder(2)))
        case "sqrt(1/(i+1))":
            return g.op("Sqrt", reciprocal)
        case "sqrt(1-1/(i+1))":
            return g.op("Sqrt", g.op("Sub", number(1), reciprocal))
        case "[i=0]":
            return g.cast(g.op("Equal", i, number(0)), DOUBLE)
        case _:
            raise AssertionError(f"no position function {name}")
