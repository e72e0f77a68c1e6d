"""Proves from a model's file alone that the model's answers are those of the program in the file.

    python -S capax_check.py MODEL.safetensors

prints the theorem that was proved (exit code 0), why there is no proof (1), or what is wrong with
the file (2). Standard library only, and only integers in the proof. What is hard to find is in the
*plan* in the file; nothing in it is trusted.

A *state* is what the program knows at one position of a word: the token, the position, the length,
and the results of aggregates and counts. Each of these is an axis with finitely many values. A
*table* gives something for every combination of values of some axes: the value of an s-op, or the
interval in which a number of the model lies. Intervals are pairs of integers in units of 2^-100.
"""

import json
import re
import struct
import sys
from fractions import Fraction
from itertools import product

S, W = 100, 60  # numbers are in units of 2^-S, weights in units of 2^-W, products in 2^-(S + W)
ONE = 1 << S
MOST_CELLS, MOST_WORK, MOST_NUMBERS, MOST_LENGTH = 1_500_000, 60_000_000, 4_000_000, 2048
SYSTEMS = {"float32": ("F32", "f", 24, 126, 120, 104), "float64": ("F64", "d", 53, 1022, 1000, 746)}
TOKEN, PLACE, LENGTH = 0, 1, 2  # the axes that every program has
MASKS = {
    "none": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "strict past": lambda i, j: j < i,
    "future": lambda i, j: j >= i,
    "strict future": lambda i, j: j > i,
}
FAIL = ("the program fails",)  # the value of an s-op that has none


class Refused(Exception):
    """There is no proof, for a reason."""


class BadFile(Exception):
    """The file is not a model's file."""


def need(holds, why):
    """Refuses what does not hold."""
    if not holds:
        raise Refused(why)


def sound(holds, why):
    """Refuses a file that is damaged."""
    if not holds:
        raise BadFile(why)


class Work:
    """What has been done so far; too much is refused."""

    done = 0


def spend(count):
    """Counts work."""
    Work.done += count
    need(Work.done <= MOST_WORK, "the check would take too long")


# ---- the file ------------------------------------------------------------------------------------


def without_doubles(pairs):
    """An object of JSON, no key of which stands twice."""
    sound(len({key for key, _ in pairs}) == len(pairs), "a key stands twice")
    return dict(pairs)


def parsed(text):
    """JSON without NaN, infinities and double keys."""

    def constant(name):
        raise BadFile(f"{name} is no number")

    return json.loads(text, object_pairs_hook=without_doubles, parse_constant=constant)


def read_file(path):
    """The description of a model and its tensors, whose weights are integers in units of 2^-W."""
    with open(path, "rb") as file:
        data = file.read(200_000_001)
    sound(8 <= len(data) <= 200_000_000, "it has no header, or is too large")
    size = struct.unpack("<Q", data[:8])[0]
    sound(size <= 16_000_000 and 8 + size <= len(data), "its header is longer than the file")
    header = parsed(data[8 : 8 + size].decode("utf-8"))
    sound(isinstance(header, dict), "its header is no object")
    meta = header.pop("__metadata__", None)
    sound(isinstance(meta, dict) and meta.get("format") == "capax-model", "it is no model of capax")
    sound(meta.get("version") == "2", "its version is not 2")
    sound(isinstance(meta.get("model"), str), "it has no description")
    model = parsed(meta["model"])
    sound(isinstance(model, dict), "its description is no object")
    need(model.get("numbers") in SYSTEMS, "only float32 and float64 are checked")
    return model, read_tensors(header, data[8 + size :], SYSTEMS[model["numbers"]])


def read_tensors(header, body, system):
    """The tensors by name, as rows of integers; their numbers cover the body without gap or overlap."""
    dtype, letter = system[:2]
    width, end, tensors = struct.calcsize(letter), 0, {}
    sound(all(isinstance(t, dict) for t in header.values()), "a tensor is no object")
    sound(all(is_list_of(t.get("data_offsets"), int) for t in header.values()), "no offsets")
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        shape, offsets = entry.get("shape"), entry["data_offsets"]
        sound(entry.get("dtype") == dtype and len(offsets) == 2, f"the type of {name!r:.60}")
        sound(is_list_of(shape, int) and 1 <= len(shape) <= 2, f"the shape of {name!r:.60}")
        count = shape[0] * shape[-1] if len(shape) == 2 else shape[0]
        sound(all(0 <= s <= MOST_NUMBERS for s in shape) and count <= MOST_NUMBERS, "a shape")
        sound(offsets == [end, end + width * count] and offsets[1] <= len(body), "its offsets")
        start, end = offsets
        flat = [weight(v) for v in struct.unpack(f"<{count}{letter}", body[start:end])]
        sound(end <= MOST_NUMBERS * width, "it has too many numbers")
        rows = range(shape[0]) if len(shape) == 2 else []
        tensors[name] = [flat[r * shape[1] : (r + 1) * shape[1]] for r in rows] or flat
        if len(shape) == 2 and not shape[0]:
            tensors[name] = []
    sound(end == len(body), "numbers that belong to no tensor")
    return tensors


def weight(number):
    """A stored number as an integer in units of 2^-W."""
    sound(number == number and abs(number) < 2.0**100, "a weight is no finite number of usual size")
    top, bottom = number.as_integer_ratio()
    need(bottom <= 1 << W, "a weight needs more than 60 binary places")
    return top * ((1 << W) // bottom)


def is_list_of(value, *kinds):
    """Whether something is a list of values of exactly these types."""
    return isinstance(value, list) and all(type(item) in kinds for item in value)


# ---- floating-point sums ---------------------------------------------------------------------------


class Floats:
    """Sums in one number system, in any order, fused or not, with or without denormal numbers."""

    def __init__(self, name):
        _, _, self.digits, least, top, self.gap = SYSTEMS[name]
        self.least = max(1, (1 << (S + W)) >> least)
        self.top = 1 << (S + W + top)

    def total(self, terms):
        """The interval of a sum of products, each an interval in units of 2^-(S + W).

        Exact if all terms are known multiples of q >= 2^-60 and sum |t| < 2^digits q; else within
        gamma(m) sum |t| + (m + 2) least.
        """
        low = high = size = bits = count = 0
        known = True
        for a, b in terms:
            if a or b:
                count += 1
                low, high, bits = low + a, high + b, bits | a
                size += max(abs(a), abs(b))
                known = known and a == b
        if not count:
            return 0, 0
        need(size < self.top, "a sum may overflow")
        unit = bits & -bits
        if known and size < unit << self.digits and unit >= 1 << (S + W - 60):
            return low >> W, low >> W
        need(count < 1 << 22, "a sum has too many terms")
        error = self.gamma(count, size) + (count + 2) * self.least
        return (low - error) >> W, -((-high - error) >> W)

    def gamma(self, count, size):
        """At least gamma(count) times a size."""
        return -(-count * size // ((1 << self.digits) - count))


def times(factor, x):
    """An integer times an interval."""
    return (factor * x[0], factor * x[1]) if factor >= 0 else (factor * x[1], factor * x[0])


def product_of(x, y):
    """The product of two intervals, in units of 2^-(S + W)."""
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> (S - W), -((-max(ends)) >> (S - W))


def hull(*intervals):
    """The least interval around some."""
    return min(x[0] for x in intervals), max(x[1] for x in intervals)


# ---- the program's text ------------------------------------------------------------------------------

LEXER = re.compile(
    r"""\s+|\#[^\n]*|(?P<number>\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:\\[^\n]|[^"\\\n])*")|(?P<name>[A-Za-z_]\w*)
    |(?P<sign>==|!=|<=|>=|//|[-+*/%^<>=()\[\]{},:;])""",
    re.VERBOSE | re.ASCII,
)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
LEVELS = (("and", "or"), COMPARISONS, ("+", "-"), ("%",), ("*", "/", "//"), ("^",))
READERS = {"asis": lambda t: t, "str": str, "int": int, "float": float, "bool": bool}


class Node(int):
    """The number of a node."""


def power(base, exponent):
    """base ^ exponent, for small integers."""
    need(type(base) is type(exponent) is int and 0 <= exponent <= 64, "a power that is not checked")
    return base**exponent


def remainder(left, right):
    """left % right for numbers."""
    need(not isinstance(left, str), "a text with % is not checked")
    return left % right


def multiplied(left, right):
    """left * right for numbers."""
    need(not isinstance(left, str) and not isinstance(right, str), "texts times numbers")
    return left * right


OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": multiplied,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": remainder,
    "^": power,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "not": lambda a: not a,
    "neg": lambda a: -a,
    "pos": lambda a: +a,
    "round": round,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "indicator": lambda a: 1 if a else 0,
    "max": lambda a, b: a if a > b else b,
    "min": lambda a, b: a if a < b else b,
    "where": lambda c, a, b: a if c else b,
}


def applied(op, *args):
    """The value of an operation, or FAIL where it has none."""
    if FAIL in args:
        return FAIL
    try:
        value = OPS[op](*args)
    except (ArithmeticError, TypeError, ValueError):
        return FAIL
    need(type(value) in (str, bool, int, float), "a value of an unknown type")
    need(not isinstance(value, (int, str)) or len(repr(value)) < 4000, "a very large value")
    need(value == value, "a value is not a number")
    return value


def looked_up(kind, entries, value):
    """The entry of a list, text or dictionary for a value; whether it is a member; or FAIL."""
    if value is FAIL:
        return FAIL
    if kind == "members":
        return any(key == value for key, _ in entries)
    if kind == "list":
        if not isinstance(value, int) or not -len(entries) <= value < len(entries):
            return FAIL
        return entries[value % len(entries)][1]
    return next((found for key, found in entries if key == value), FAIL)


class Graph:
    """Nodes of programs, each once: tuples of a kind and operands. Operands have smaller numbers."""

    def __init__(self):
        self.nodes, self.numbers = [], {}
        self.indices = self.add("indices")
        one = self.constant(1)
        self.full = self.add("select", one, one, "==")
        self.causal = self.add("select", self.indices, self.indices, "<=")

    def add(self, *parts):
        """The number of the node with these parts."""
        key = repr(parts)  # 1, 1.0 and True are different
        if key not in self.numbers:
            need(len(self.nodes) < 20_000, "too many nodes")
            self.numbers[key] = Node(len(self.nodes))
            self.nodes.append(parts)
        return self.numbers[key]

    def constant(self, value):
        """The s-op with one value."""
        return value if isinstance(value, Node) else self.add("constant", value)

    def kind(self, node):
        """What a node is."""
        return self.nodes[node][0]

    def is_selector(self, node):
        """Whether a node is a selector."""
        return self.kind(node) in ("select", "and", "or", "not", "best")

    def tested(self, selector):
        """A `best` inside another selector: the test whether a key is at the position it picks."""
        if self.kind(selector) != "best":
            return selector
        picked = self.add("aggregate", selector, self.indices, -1)
        return self.add("select", self.indices, picked, "==")

    def best(self, selector, score, causal):
        """Of the selected keys the one with the highest score, of equals the last."""
        if self.kind(selector) == "best":
            return selector
        seen = self.add("and", self.tested(selector), self.causal) if causal else selector
        return self.add("best", seen, score)

    def aggregate(self, selector, value, default, causal):
        """The mean of the selected values; a width where `value` is None."""
        is_best = self.kind(selector) == "best"
        if value is None and is_best:
            value, default = self.constant(1), 0
        seen = self.add("and", selector, self.causal) if causal and not is_best else selector
        if value is None:
            return self.add("width", seen)
        return self.add("aggregate", seen, value, default)

    def leaves(self, selector):
        """The comparisons of a selector, from left to right."""
        kind, *parts = self.nodes[selector]
        if kind == "select":
            return [selector]
        need(kind in ("and", "or", "not"), "a selector of an unknown kind")
        return [leaf for part in parts for leaf in self.leaves(part)]

    def below(self, root):
        """All nodes that a node is made of, itself included."""
        seen, waiting = set(), [root]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += [part for part in self.nodes[node][1:] if isinstance(part, Node)]
        return seen


class Parser:
    """Statements `name = expression;` of a program without functions and loops."""

    def __init__(self, graph, text, names, causal):
        self.graph, self.causal, self.at, self.tokens = graph, causal, 0, []
        self.names, self.depth = dict(names), 0
        place = 0
        need(isinstance(text, str) and len(text) <= 300_000, "no text, or one that is too long")
        while place < len(text):
            match = LEXER.match(text, place)
            need(match is not None, f"cannot read the program at {text[place : place + 20]!r}")
            place = match.end()
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match[0]))
        self.tokens.append(("end", ""))

    def statements(self):
        """The value of the last statement; names are kept."""
        value = None
        while self.tokens[self.at][0] != "end":
            kind, name = self.tokens[self.at]
            need(kind == "name" and self.tokens[self.at + 1][1] == "=", "no statement `name = ...`")
            self.at += 2
            value = self.names[name] = self.expression()
            self.take(";")
        return value

    def take(self, text):
        """Passes a sign or word."""
        need(self.tokens[self.at][1] == text and self.tokens[self.at][0] != "string", f"no {text}")
        self.at += 1

    def next_is(self, *texts):
        """The next sign or word, if it is one of these; it is passed."""
        kind, text = self.tokens[self.at]
        if kind in ("sign", "name") and text in texts:
            self.at += 1
            return text
        return None

    def expression(self):
        """An expression; `in` binds loosest."""
        self.depth += 1
        need(self.depth < 60, "the program is nested too deeply")
        value = self.ternary()
        while self.next_is("in"):
            box = self.ternary()
            need(isinstance(box, list) and isinstance(value, Node), "`in` needs an s-op and a list")
            value = self.looked("members", [(item, True) for item in box], value)
        self.depth -= 1
        return value

    def ternary(self):
        """`then if condition else otherwise`, from left to right."""
        value = self.infix(0)
        while self.next_is("if"):
            condition = self.ternary()
            self.take("else")
            value = self.mapped("where", self.graph.constant(condition), value, self.infix(0))
        return value

    def infix(self, level):
        """Operators of one level or tighter, from left to right."""
        if level == len(LEVELS):
            return self.prefix()
        value = self.infix(level + 1)
        while op := self.next_is(*LEVELS[level]):
            value = self.joined(op, value, self.infix(level + 1))
        return value

    def joined(self, op, left, right):
        """`left op right` of selectors, s-ops or single values."""
        graph = self.graph
        if isinstance(left, Node) and graph.is_selector(left):
            need(op in ("and", "or") and isinstance(right, Node), "operators of selectors")
            need(graph.is_selector(right), "a selector beside an s-op")
            return graph.add(op, graph.tested(left), graph.tested(right))
        return self.mapped(op, left, right)

    def prefix(self):
        """`not`, a sign, or an operand with indices."""
        op = self.next_is("not", "-", "+")
        if op is None:
            return self.postfix()
        self.depth += 1
        need(self.depth < 60, "the program is nested too deeply")
        value = self.prefix()
        self.depth -= 1
        if op == "not" and isinstance(value, Node) and self.graph.is_selector(value):
            return self.graph.add("not", self.graph.tested(value))
        return self.mapped({"not": "not", "-": "neg", "+": "pos"}[op], value)

    def mapped(self, op, *args):
        """An operation on s-ops, or the value of one on single values."""
        need(all(type(a) in (str, bool, int, float, Node) for a in args), "an operation on a list")
        if not any(isinstance(a, Node) for a in args):
            value = applied(op, *args)
            need(value is not FAIL and op not in ("and", "or", "indicator"), "a constant")
            return value
        nodes = [self.graph.constant(a) for a in args]
        need(not any(self.graph.is_selector(a) for a in nodes), "an operation on a selector")
        return self.graph.add("map", op, *nodes)

    def looked(self, kind, entries, arg):
        """A table that is looked up position by position."""
        plain = all(type(x) in (str, bool, int, float) for entry in entries for x in entry)
        need(plain and not self.graph.is_selector(arg), "a table of single values is looked up")
        need(len(entries) <= 20_000, "a very long table")
        return self.graph.add("table", kind, tuple(entries), arg)

    def postfix(self):
        """A primary, looked up in."""
        value = self.primary()
        while self.next_is("["):
            at = self.expression()
            self.take("]")
            need(isinstance(at, Node) and type(value) in (list, str, dict), "what is indexed")
            entries = list(value.items() if isinstance(value, dict) else enumerate(value))
            value = self.looked("dict" if isinstance(value, dict) else "list", entries, at)
        return value

    def primary(self):
        """A literal, a name, a call, or an expression in parentheses."""
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return int(text) if text.isdigit() else float(text)
        if kind == "string":
            return ESCAPE.sub(unescaped, text[1:-1])
        if kind == "name":
            return self.call(text) if self.next_is("(") else self.name(text)
        if text == "(":
            value = self.expression()
            self.take(")")
            return value
        if text == "[":
            return self.items("]")
        need(text == "{", f"`{text}` stands where a value should")
        pairs = self.items("}", keyed=True)
        need(len({key for key, _ in pairs}) == len(pairs), "a key stands twice")
        return dict(pairs)

    def items(self, end, keyed=False):
        """Expressions up to a closing sign, with commas between them; or pairs of them."""
        values = []
        while not self.next_is(end):
            if values:
                self.take(",")
            value = self.expression()
            if keyed:
                self.take(":")
                need(type(value) in (str, bool, int, float), "a key is no single value")
                value = value, self.expression()
            values.append(value)
        return values

    def name(self, name):
        """What a name stands for."""
        if name in self.names:
            return self.names[name]
        if name in ("tokens", "indices", "length", "full_s", "True", "False"):
            graph = self.graph
            return {
                "tokens": graph.add("input", "str"),
                "indices": graph.indices,
                "length": graph.aggregate(graph.full, None, None, self.causal),
                "full_s": graph.full,
            }.get(name, name == "True")
        kind = name.removeprefix("tokens_")
        need(kind != name and kind in READERS, f"the name {name!r:.40} is not known")
        return self.graph.add("input", kind)

    def call(self, name):
        """A call of a function of the language."""
        graph, causal = self.graph, self.causal
        need(name not in self.names, f"`{name}` is no function")
        if name == "select":
            key = self.operand(",")
            query = self.operand(",")
            op = self.next_is(*COMPARISONS)
            need(op is not None, "a selector without a comparison")
            self.take(")")
            return graph.add("select", key, query, op)
        args = self.items(")")
        if name == "aggregate":
            need(2 <= len(args) <= 3 and type((*args, 0)[2]) in (str, bool, int, float), "aggregate")
            return graph.aggregate(self.selector(args[0]), self.sop(args[1]), (*args, 0)[2], causal)
        if name == "selector_width":
            need(len(args) == 1, "selector_width")
            return graph.aggregate(self.selector(args[0]), None, None, causal)
        if name == "best":
            need(len(args) == 2, "best")
            return graph.best(self.selector(args[0]), self.sop(args[1]), causal)
        if name == "constant":
            need(len(args) == 1 and type(args[0]) in (str, bool, int, float), "constant")
            return graph.constant(args[0])
        arity = {"round": 1, "abs": 1, "sign": 1, "indicator": 1, "max": 2, "min": 2}.get(name)
        need(arity == len(args), f"the function {name!r:.40} is not known here")
        return self.mapped(name, *args)

    def operand(self, end):
        """An s-op up to a sign."""
        value = self.sop(self.expression())
        self.take(end)
        return value

    def selector(self, value):
        """A value that must be a selector."""
        need(isinstance(value, Node) and self.graph.is_selector(value), "a selector is missing")
        return value

    def sop(self, value):
        """A value as an s-op."""
        need(type(value) in (str, bool, int, float, Node), "an s-op is missing")
        node = self.graph.constant(value)
        need(not self.graph.is_selector(node), "a selector stands where an s-op should")
        return node


def unescaped(match):
    """The character that an escape stands for."""
    number = match[1] or match[2]
    need(number is None or int(number, 16) <= 0x10FFFF, "an escape in a text")
    need(number is not None or match[3] in ESCAPES, "an escape in a text")
    return chr(int(number, 16)) if number else ESCAPES[match[3]]


# ---- tables over states --------------------------------------------------------------------------


class Grid:
    """All combinations of values of some axes that may happen, as tuples of numbers of values."""

    def __init__(self, axes, cells):
        self.axes, self.cells = axes, cells
        self.index = {cell: number for number, cell in enumerate(cells)}
        self.maps = {}


class Table:
    """Something for each cell of a grid: the numbers of entries in a list without doubles."""

    def __init__(self, grid, ids, entries):
        self.grid, self.ids, self.entries = grid, ids, entries

    @property
    def axes(self):
        return self.grid.axes


def keyed(value):
    """A key that tells 1, 1.0 and True apart."""
    if isinstance(value, tuple):
        return tuple(keyed(v) for v in value)
    return type(value), value


class States:
    """Axes, what cannot happen together, and tables over them."""

    def __init__(self, tokens, longest):
        self.axes = [list(tokens), list(range(longest)), list(range(1, longest + 1))]
        self.grids, self.impossible = {}, []
        self.forbid(self.column((PLACE, LENGTH), lambda i, n: i >= n))

    def grid(self, axes):
        """The combinations of some axes."""
        if axes not in self.grids:
            cells = [()]
            for number, axis in enumerate(axes):
                values = range(len(self.axes[axis]))
                need(len(cells) * len(values) <= MOST_CELLS, "too many combinations of values")
                spend(len(cells) * len(values))
                cells = [(*cell, v) for cell in cells for v in values]
                for others, cells_out in self.impossible:
                    if axis in others and set(others) <= set(axes[: number + 1]):
                        at = [axes.index(a) for a in others]
                        cells = [c for c in cells if tuple([c[k] for k in at]) not in cells_out]
            self.grids[axes] = Grid(axes, cells)
        return self.grids[axes]

    def column(self, axes, function):
        """The table of a function of the values of some axes."""
        grid = self.grid(axes)
        values = [self.axes[a] for a in axes]
        rows = [function(*[v[k] for v, k in zip(values, cell)]) for cell in grid.cells]
        return distinct(grid, rows)

    def forbid(self, table):
        """Takes note that the cells at which a table is true never happen."""
        if any(table.entries):
            out = {c for c, k in zip(table.grid.cells, table.ids) if table.entries[k]}
            self.impossible.append((table.axes, out))
            self.grids = {}

    def ids(self, table, grid):
        """The numbers of a table's entries for each cell of a larger grid."""
        if table.grid is grid:
            return table.ids
        key = id(table.grid)
        if key not in grid.maps:
            at, index = [grid.axes.index(a) for a in table.axes], table.grid.index
            spend(len(grid.cells))
            places = [index[tuple([cell[k] for k in at])] for cell in grid.cells]
            grid.maps[key] = places, table.grid  # the grid is kept, so its id stays its own
        ids = table.ids
        return [ids[place] for place in grid.maps[key][0]]

    def combine(self, tables, function):
        """The table of a function of the entries of some tables."""
        grid = self.grid(tuple(sorted({a for t in tables for a in t.axes})))
        columns = [self.ids(t, grid) for t in tables]
        spend(len(grid.cells) * len(tables))
        rows = list(zip(*columns)) if tables else [()] * len(grid.cells)
        entries = [t.entries for t in tables]
        results = {row: function(*[e[k] for e, k in zip(entries, row)]) for row in set(rows)}
        spend(10 * len(results))
        numbers, merged = {}, {}
        for row, result in results.items():
            merged[row] = numbers.setdefault(keyed(result), (len(numbers), result))[0]
        return self.smaller(Table(grid, [merged[r] for r in rows], [v for _, v in numbers.values()]))

    def smaller(self, table):
        """The table without axes that it does not depend on."""
        for axis in table.axes if len(table.entries) > 1 else ():
            at, seen = table.axes.index(axis), {}
            spend(len(table.ids))
            for cell, k in zip(table.grid.cells, table.ids):
                if seen.setdefault((*cell[:at], *cell[at + 1 :]), k) != k:
                    break
            else:
                table = self.narrowed(table, [a for a in table.axes if a != axis], seen)
        if len(table.entries) == 1 and table.axes:
            return Table(self.grid(()), [0], table.entries)
        return table

    def narrowed(self, table, axes, seen):
        """The table over fewer axes; cells that it did not have never happen."""
        grid = self.grid(tuple(axes))
        if len(grid.cells) > len(seen):
            self.impossible.append((grid.axes, {c for c in grid.cells if c not in seen}))
            self.grids = {}
            grid = self.grid(grid.axes)
        return Table(grid, [seen[cell] for cell in grid.cells], table.entries)

    def both(self, *tables):
        """The table of the tuples of entries."""
        return self.combine(tables, lambda *values: values)


def distinct(grid, rows):
    """A table of some values, in which equal ones are one."""
    numbers = {}
    ids = [numbers.setdefault(keyed(row), (len(numbers), row))[0] for row in rows]
    return Table(grid, ids, [row for _, row in numbers.values()])


# ---- what the program means on states ----------------------------------------------------------------


def mean_of(counted, default, only_bools):
    """The aggregate of values, each with how often it is selected."""
    counted = [(value, count) for value, count in counted if count]
    selected = sum(count for _, count in counted)
    if selected < 2:
        return counted[0][0] if counted else default
    if only_bools or any(isinstance(value, str) for value, _ in counted):
        return FAIL
    if any(isinstance(value, float) for value, _ in counted):
        return float(sum(Fraction(value) * count for value, count in counted)) / selected
    return sum(value * count for value, count in counted) / selected


class Meaning:
    """The values of nodes as tables over states; `program` are the nodes of the program itself."""

    def __init__(self, graph, states, longest, program, links):
        self.graph, self.states, self.longest = graph, states, longest
        self.program, self.links, self.tables, self.known = program, links, {}, {}
        self.counts_of, self.twins = {}, set()

    def value(self, node):
        """The values of an s-op."""
        if node not in self.tables:
            kind, *parts = self.graph.nodes[node]
            table = getattr(self, f"value_of_{kind}")(node, *parts)
            if node in self.program and FAIL in table.entries:
                self.states.forbid(self.states.combine([table], lambda v: v is FAIL))
            self.tables[node] = table
        return self.tables[node]

    def value_of_input(self, node, kind):
        def reading(token):
            try:
                return READERS[kind](token)
            except (ValueError, OverflowError):
                return FAIL

        return self.states.column((TOKEN,), reading)

    def value_of_indices(self, node):
        return self.states.column((PLACE,), lambda i: i)

    def value_of_constant(self, node, value):
        return self.states.column((), lambda: value)

    def value_of_map(self, node, op, *args):
        return self.states.combine(
            [self.value(a) for a in args], lambda *values: applied(op, *values)
        )

    def value_of_table(self, node, kind, entries, arg):
        return self.states.combine([self.value(arg)], lambda v: looked_up(kind, entries, v))

    def value_of_width(self, node, selector):
        table = self.value_of_aggregate(node, selector, self.graph.constant(1), None)
        if node in self.links["limits"]:
            most = self.limit(node, self.links["limits"][node])
            self.states.forbid(self.states.combine([table], lambda count: count > most))
        return table

    def limit(self, node, other):
        """How many keys a width counts at most, where one of each token is selected.

        All selected keys have a zero in `other`, which counts one of every two of them of one token.
        """
        nodes, states = self.graph.nodes, self.states
        need(nodes[other][0] == "width", "a limit by what is no width")
        (keys, queries), (firsts, seconds) = (self.sides(nodes[n][1]) for n in (node, other))
        token = states.column((TOKEN,), keyed)
        rows = self.rows([*keys, *firsts, *seconds, self.graph.indices], token, self.value(other))
        test, counted, asked = self.test(nodes[node][1]), self.test(nodes[other][1]), self.rows(queries)
        spend(len(rows) * len(asked))
        one, two = len(keys), len(keys) + len(firsts)
        on = [row for row in rows if any(test(row[:one], q) is True for q in asked)]
        need(all(row[-1] == 0 for row in on), "a limit by what is not zero")
        spend(len(on) ** 2)
        for a, b in product(on, on):
            if a[-2] == b[-2] and a[-3] != b[-3]:
                hit = counted(a[one:two], b[two:-3]), counted(b[one:two], a[two:-3])
                need(True in hit, "a limit by what counts too little")
        return len({row[-2] for row in on})

    def value_of_aggregate(self, node, selector, value, default):
        """By what the plan says, by trying all positions, or as an axis of its own."""
        if node in self.links["same"]:
            other = self.links["same"][node]
            self.check_same(node, other)
            if node in self.program:
                self.twins.add(other)
            return self.value(other)
        if node in self.links["parts"]:
            return self.by_parts(node, self.links["parts"][node])
        if self.is_positional(selector) and self.of_positions([value]):
            return self.by_positions(node)
        return self.as_axis(node)

    # selectors

    def conjuncts(self, selector):
        """The selectors that are joined by `and`."""
        kind, *parts = self.graph.nodes[selector]
        return [c for p in parts for c in self.conjuncts(p)] if kind == "and" else [selector]

    def inside(self, selector):
        """The selector itself, and the score if it is a `best`."""
        kind, *parts = self.graph.nodes[selector]
        return parts if kind == "best" else (selector, None)

    def test(self, selector):
        """Whether a pair is selected, as a function of what all comparisons see of both sides."""
        place = {leaf: k for k, leaf in enumerate(self.graph.leaves(selector))}

        def made(node):
            kind, *parts = self.graph.nodes[node]
            if kind == "select":
                compare, at = OPS[parts[2]], place[node]
                return lambda k, q: compare(k[at], q[at])
            one, two = made(parts[0]), made(parts[-1])
            if kind == "not":
                return lambda k, q: not one(k, q)
            if kind == "and":
                return lambda k, q: one(k, q) & two(k, q)
            return lambda k, q: one(k, q) | two(k, q)

        run = made(selector)

        def tested(k, q):
            try:
                return run(k, q)
            except TypeError:
                need(selector in self.program, "a selector of the plan fails")
                return FAIL

        return tested

    def sides(self, selector):
        """The s-ops that the comparisons of a selector see of keys, and those of queries."""
        leaves = [self.graph.nodes[leaf] for leaf in self.graph.leaves(selector)]
        return [leaf[1] for leaf in leaves], [leaf[2] for leaf in leaves]

    def rows(self, nodes, *tables):
        """All combinations of values of some s-ops, and entries of tables, as tuples."""
        whole = self.states.both(*[self.value(n) for n in nodes], *tables)
        rows = []
        for row in whole.entries:
            failing = [n for n, v in zip(nodes, row) if v is FAIL]
            need(all(n in self.program for n in failing), "an s-op of the plan fails")
            if not failing:
                rows.append(row)
        return rows

    def of_positions(self, nodes):
        """Whether s-ops depend on position and length alone."""
        return all(set(self.value(n).axes) <= {PLACE, LENGTH} for n in nodes)

    def is_positional(self, selector):
        """Whether a selector depends on positions and the length alone."""
        inner, score = self.inside(selector)
        keys, queries = self.sides(inner)
        return self.of_positions([*keys, *queries, *([] if score is None else [score])])

    def at_positions(self, nodes):
        """The values of s-ops that depend on position and length, by both."""
        tables = [self.value(n) for n in nodes]
        whole = self.states.both(*tables, *self.corner())
        return {row[-2:]: row[:-2] for row in whole.entries}

    def corner(self):
        """The tables of position and length."""
        column = self.states.column
        return column((PLACE,), lambda i: i), column((LENGTH,), lambda n: n)

    def by_positions(self, node):
        """An aggregate or width that no token changes: by trying all words of each length."""
        kind, selector, *rest = self.graph.nodes[node]
        inner, score = self.inside(selector)
        keys, queries = self.sides(inner)
        extra = [rest[0] if rest else self.graph.indices, self.graph.indices if score is None else score]
        seen, asked = self.at_positions([*keys, *extra]), self.at_positions(queries)
        test, memo = self.test(inner), {}

        def result(i, n):
            query = asked[i, n]
            if (query, n) not in memo:
                spend(n)
                on = [j for j in range(n) if test(seen[j, n], query) is True]
                if score is not None:
                    on = sorted(on, key=lambda j: (seen[j, n][-1], j))[-1:]
                values = [(seen[j, n][-2], 1) for j in on]
                bools = all(isinstance(seen[j, n][-2], bool) for j in range(n))
                memo[query, n] = mean_of(values, rest[1], bools) if rest else len(on)
            return memo[query, n]

        return self.states.smaller(self.states.column((PLACE, LENGTH), result))

    # what the plan says of aggregates and widths

    def check_same(self, one, two):
        """Two aggregates or widths whose selectors, values and defaults agree on all states."""
        nodes = self.graph.nodes
        need(nodes[one][0] == nodes[two][0], "a node is linked to one of another kind")
        (first, score), (second, other) = self.inside(nodes[one][1]), self.inside(nodes[two][1])
        need((score is None) == (other is None), "a best is linked to what is none")
        alike = [] if score is None else [(score, other)]
        if nodes[one][0] == "aggregate":
            need(keyed(nodes[one][3]) == keyed(nodes[two][3]), "linked defaults differ")
            alike.append((nodes[one][2], nodes[two][2]))
        for a, b in alike:
            pairs = self.rows([a, b])
            need(all(keyed(x) == keyed(y) for x, y in pairs), "linked values differ")
        self.all_pairs([first, second], self.must_agree)

    @staticmethod
    def must_agree(on, row):
        need(on[0] == on[1], "linked selectors differ")

    def all_pairs(self, selectors, check, extra=()):
        """Calls a check for each pair of a key and a query, with what selectors say of it."""
        sides, tests = [self.sides(s) for s in selectors], [self.test(s) for s in selectors]
        starts = [sum(len(side[0]) for side in sides[:k]) for k in range(len(sides) + 1)]
        keys = self.rows([n for side in sides for n in side[0]] + list(extra))
        queries = self.rows([n for side in sides for n in side[1]])
        spend(len(keys) * len(queries) * len(selectors))
        cuts = list(zip(starts, starts[1:]))
        asked = [[q[a:b] for a, b in cuts] for q in queries]
        for key in keys:
            seen = [key[a:b] for a, b in cuts]
            for query in asked:
                on = [test(k, q) for test, k, q in zip(tests, seen, query)]
                if FAIL not in on:
                    check(on, key)

    def by_parts(self, node, parts):
        """An aggregate or width as a sum of widths, in each of which one value is selected.

        What no part selects is counted where the number of all selected keys is known.
        """
        kind, selector, *rest = self.graph.nodes[node]
        need(self.inside(selector)[1] is None, "a best has no parts")
        need(all(self.graph.kind(p) == "width" for p in parts), "parts are widths")
        value = rest[0] if rest else self.graph.constant(1)
        constants = {}

        def check(on, key):
            hits = [k for k, hit in enumerate(on[1:]) if hit]
            need(len(hits) <= (1 if on[0] else 0), "the parts of a node do not add up")
            if on[0]:
                same = constants.setdefault(hits[0] if hits else -1, key[-1])
                need(keyed(same) == keyed(key[-1]), "a part of a node has several values")

        self.all_pairs([selector, *[self.graph.nodes[p][1] for p in parts]], check, [value])
        tables = [self.value(p) for p in parts]
        if known := self.is_positional(selector):
            tables.append(self.value(self.graph.add("width", selector)))
            self.states.forbid(
                self.states.combine(
                    tables, lambda *n: sum(n[:-1]) > n[-1] or -1 not in constants and sum(n[:-1]) < n[-1]
                )
            )
        need(known or -1 not in constants, "the parts of a node do not add up")
        bools = all(isinstance(v, bool) for v in self.value(value).entries)
        values = [constants.get(k, 0) for k in range(len(parts))]

        def result(*counts):
            left = counts[-1] - sum(counts[:-1]) if known else 0
            counted = [*zip(values, counts), (constants.get(-1, 0), left)]
            if not rest:
                return sum(count for _, count in counted)
            return mean_of(counted, rest[1], bools)

        return self.states.combine(tables, result)

    # axes

    def as_axis(self, node):
        """An axis with all values that an aggregate or width can have."""
        kind, selector, *rest = self.graph.nodes[node]
        states, unique = self.states, self.is_unique(node)
        filled, counts = self.is_filled(selector), {}
        if not rest:
            values = list(range(1 if filled else 0, (1 if unique else self.longest) + 1))
        else:
            singles = self.value(rest[0]).entries
            texts = any(isinstance(v, str) for v in singles) and node not in self.program | self.twins
            need(unique or not texts, "a mean of texts")
            counts = {} if unique else self.means(singles)
            default = [] if filled else [rest[1]]
            values = [v for v in (*singles, *counts, *default) if v is not FAIL]
        axis = len(states.axes)
        states.axes.append(list({keyed(v): v for v in values}.values()))
        table = states.column((axis,), lambda v: v)
        if not rest:
            most = [c for c in self.conjuncts(self.inside(selector)[0]) if self.is_positional(c)]
            limit = self.graph.full
            for each in most:
                limit = self.graph.add("and", limit, each)
            bound = self.value(self.graph.add("width", limit))
            states.forbid(states.combine([table, bound], lambda count, most: count > most))
        elif counts and self.is_positional(selector):
            bound = self.value(self.graph.add("width", selector))
            several = {keyed(v): sizes for v, sizes in counts.items()}
            known = {keyed(v) for v in singles}

            def never(value, size):
                one = size == 1 and keyed(value) in known or size == 0
                return not one and size not in several.get(keyed(value), ())

            states.forbid(states.combine([table, bound], never))
        return table

    def means(self, values):
        """All means of two or more values, with the numbers of values that they are means of."""
        numbers = [v for v in values if v is not FAIL and not isinstance(v, str)]
        whole = not any(isinstance(v, float) for v in numbers)
        exact = [v if whole else Fraction(v) for v in numbers]
        sums, found = {0}, {}
        for count in range(1, self.longest + 1):
            sums = {total + v for total in sums for v in exact}
            need(len(sums) * self.longest <= 400_000, "too many means")
            spend(len(sums) * len(exact))
            for total in sums if count > 1 else ():
                mean = total / count if whole else float(total) / count
                found.setdefault(mean, set()).add(count)
        return found

    def is_unique(self, node):
        """Whether at most one key is selected, or the program fails."""
        kind, selector, *rest = self.graph.nodes[node]
        if self.graph.kind(selector) == "best":
            return True
        kinds = {type(v) for v in self.value(rest[0]).entries if v is not FAIL} if rest else {int}
        if node in self.program | self.twins and (kinds <= {bool} or kinds <= {str}):
            return True
        return any(self.picks_one(c) for c in self.conjuncts(selector))

    def picks_one(self, selector):
        """Whether a selector has at most one key: all keys differ, or are ranks."""
        keys, queries = self.sides(selector)
        kind, key, query, op = (*self.graph.nodes[selector], None, None, None)[:4]
        if kind == "select" and op == "==" and self.is_rank(key):
            return True
        if not self.of_positions(keys):
            return False
        seen, test, size = self.at_positions(keys), self.test(selector), self.longest
        for query in self.rows(queries):
            spend(size)
            for n in range(1, size + 1) if LENGTH in self.axes_of(keys) else (size,):
                if sum(test(seen[j, n], query) is True for j in range(n)) > 1:
                    return False
        return True

    def axes_of(self, nodes):
        """The axes that s-ops depend on."""
        return {a for n in nodes for a in self.value(n).axes}

    def is_rank(self, node):
        """Whether a width counts the keys before the query in a strict order of all positions.

        The plan names the s-ops that are compared in turn, `-` for the greater first; the last is the position.
        """
        order = self.links["orders"].get(node)
        if order is None or order[-1] != (1, self.graph.indices):
            return False
        if node not in self.known:
            selector = self.graph.nodes[node][1]
            keys, queries = self.sides(selector)
            nodes, test = [n for _, n in order], self.test(selector)
            rows = self.rows([*nodes, *keys, *queries])
            width, half = len(nodes), len(nodes) + len(keys)
            spend(len(rows) ** 2)

            def before(a, b):
                for (sign, _), x, y in zip(order, a, b):
                    if x != y:
                        return (x < y) == (sign > 0)
                return False

            self.known[node] = all(
                test(a[width:half], b[half:]) == before(a, b)
                for a, b in product(rows, rows)
                if a[width - 1] != b[width - 1] or a == b
            )
        return self.known[node]

    def is_filled(self, selector):
        """Whether every query surely selects a key: itself, one that a position names, or a rank."""
        selector, _ = self.inside(selector)
        if selector not in self.counts_of:
            self.counts_of[selector] = self.finds_key(selector)
        return self.counts_of[selector]

    def finds_key(self, selector):
        keys, queries = self.sides(selector)
        kind, key, query, op = (*self.graph.nodes[selector], None, None, None)[:4]
        place, size = self.corner()
        if kind == "select" and op == "==" and self.is_rank(key):
            rows = self.rows([query], size)
            return all(type(v) in (int, float) and 0 <= v < n and v == int(v) for v, n in rows)
        test, many = self.test(selector), len(keys)
        positional = self.of_positions(keys)
        seen = self.at_positions(keys) if positional else {}
        rows = self.rows([*keys, *queries], *([size] if positional else []))
        for row in rows:
            itself = test(row[:many], row[many : 2 * many]) is True
            named = positional and not itself
            if named:
                spend(row[-1])
                itself = any(test(seen[j, row[-1]], row[many:-1]) is True for j in range(row[-1]))
            if not itself:
                return False
        return True


# ---- the model ---------------------------------------------------------------------------------------


def position_values(name, longest):
    """The values of a named function of the position, at all positions."""
    places = range(longest)
    if match := re.fullmatch(r"i\^([1-9])", name):
        return [i ** int(match[1]) for i in places]
    if match := re.fullmatch(r"\[i%([1-9]\d{0,5})=(\d{1,6})\]", name):
        return [int(i % int(match[1]) == int(match[2])) for i in places]
    if match := re.fullmatch(r"i%([1-9]\d{0,5})", name):
        return [i % int(match[1]) for i in places]
    known = {"1": lambda i: 1, "i": lambda i: i, "(-1)^i": lambda i: 1 - 2 * (i % 2)}
    known["[i=0]"] = lambda i: int(i == 0)
    need(name in known, f"the function {name!r:.40} of positions is not checked")
    return [known[name](i) for i in places]


def single(number):
    """A weight as an interval, in units of 2^-S."""
    return (number << (S - W),) * 2


class Checker:
    """The model's numbers as tables of intervals, from the embedding to the answers."""

    def __init__(self, path):
        self.model, self.tensors = read_file(path)
        facts = self.model.get("facts")
        need(isinstance(facts, dict) and isinstance(facts.get("plan"), dict), "the file has no plan")
        self.plan, self.text = facts["plan"], facts.get("program")
        self.causal = isinstance(facts.get("domain"), dict) and facts["domain"].get("causal")
        need(self.causal in (True, False), "the file does not say whether it is causal")
        need(self.plan.get("version") == 1, "the version of the plan is not 1")
        self.longest, self.typed = self.plan.get("length"), True
        self.vocabulary = self.model["vocabulary"]
        need(is_list_of(self.vocabulary, str, bool, int, float), "tokens that are not checked")
        need(len({keyed(t) for t in self.vocabulary}) == len(self.vocabulary), "a token twice")
        most = self.model["max_length"] or MOST_LENGTH
        need(type(self.longest) is int and 1 <= self.longest <= min(most, MOST_LENGTH), "the length")
        need(self.model["min_length"] == 1 and not self.model["prefix"], "a prefix, or no short words")
        self.floats = Floats(self.model["numbers"])
        self.states = States(self.vocabulary, self.longest)
        self.read_plan()

    def read_plan(self):
        """The program, and the nodes that the plan names."""
        graph = self.graph = Graph()
        program = Parser(graph, self.text, {}, self.causal)
        root = program.statements()
        need(type(root) in (str, bool, int, float, Node), "the program is no s-op")
        self.root = graph.constant(root)
        need(not graph.is_selector(self.root), "the program is a selector")
        parser = Parser(graph, self.plan.get("nodes"), {}, False)
        parser.statements()
        self.named = parser.names

        def node(name):
            found = self.named.get(name) if isinstance(name, str) else None
            need(isinstance(found, Node), f"the plan names no node {name!r:.40}")
            return found

        def entries(key):
            part = self.plan.get(key, {})
            need(isinstance(part, dict), f"the plan's {key}")
            return {node(name): value for name, value in part.items()}

        links = {k: {n: node(v) for n, v in entries(k).items()} for k in ("same", "limits")}
        for key in ("parts", "orders"):
            lists = entries(key)
            need(all(is_list_of(v, str) for v in lists.values()), f"the plan's {key}")
            links[key] = lists
        links["parts"] = {n: [node(v) for v in part] for n, part in links["parts"].items()}
        links["orders"] = {
            n: [(-1 if v[:1] == "-" else 1, node(v.removeprefix("-"))) for v in part]
            for n, part in links["orders"].items()
            if part
        }
        self.node, program = node, graph.below(self.root)
        self.meaning = Meaning(graph, self.states, self.longest, program, links)

    def run(self):
        """Goes through the model; what cannot be proved is refused."""
        model = self.model
        need(model["readout"]["norm"] is None, "norms are not checked")
        for each in sorted(self.meaning.program):
            if not self.graph.is_selector(each):
                self.meaning.value(each)
        stream = self.embedding()
        if model["input_mlp"] is not None:
            stream = self.mlp(stream, model["input_mlp"], "input_mlp")
        said = self.plan.get("heads")
        need(isinstance(said, list) and len(said) == len(model["blocks"]), "the plan's heads")
        for number, (block, names) in enumerate(zip(model["blocks"], said)):
            norms = block["attention_norm"], block["mlp_norm"]
            need(norms == (None, None), "norms are not checked")
            need(not any(self.tensor(f"blocks.{number}.bias")), "a bias beside heads")
            stream = self.heads(stream, block["heads"], names, f"blocks.{number}.heads.")
            if block["mlp"] is not None:
                stream = self.mlp(stream, block["mlp"], f"blocks.{number}.mlp")
        self.decode(stream)

    def tensor(self, name):
        sound(name in self.tensors, f"there is no tensor {name}")
        return self.tensors[name]

    def embedding(self):
        """The stream at the start: rows of tokens, functions and rows of positions."""
        positions, rows = self.model["positions"], self.tensor("embedding")
        width = len(self.model["names"])
        sound(len(rows) == len(self.vocabulary), "the embedding has other rows")
        functions = [position_values(name, self.longest) for name in positions["functions"]]
        weights = self.tensor("positions.weight")
        table = self.tensor("positions.table") if positions["table"] else [[0] * width] * self.longest
        sound(len(weights) == len(functions) and len(table) >= self.longest, "the positions")
        sound(all(len(row) == width for row in (*rows, *weights, *table)), "a row of another width")
        floats, states = self.floats, self.states
        token = states.combine([states.column((TOKEN,), keyed)], self.row_of())

        def slot(c):
            terms = [[w[c] * f[i] << S for w, f in zip(weights, functions)] for i in range(self.longest)]

            def number(k, i):
                return floats.total([(t, t) for t in (rows[k][c] << S, table[i][c] << S, *terms[i])])

            return states.combine([token, states.column((PLACE,), lambda i: i)], number)

        return [slot(c) for c in range(width)]

    def row_of(self):
        """From a token, with its type, to its row."""
        numbers = {keyed(t): k for k, t in enumerate(self.vocabulary)}
        return lambda token: numbers[token]

    def affine(self, name, stream):
        """The tables of an affine map of the stream."""
        weights, bias = self.tensor(name + ".weight"), self.tensor(name + ".bias")
        sound(len(weights) == len(stream), f"{name} reads another width")
        sound(all(len(row) == len(bias) for row in weights), f"{name} has rows of another width")

        def column(c):
            used = [(row[c], stream[r]) for r, row in enumerate(weights) if row[c]]
            factors, b = [w for w, _ in used], (bias[c] << S,) * 2

            def number(*values):
                return self.floats.total([b, *[times(w, x) for w, x in zip(factors, values)]])

            return self.states.combine([x for _, x in used], number)

        return [column(c) for c in range(len(bias))]

    def mlp(self, stream, mlp, name):
        """The stream after ReLU stages; a slot that is taken from itself is exactly zero."""
        need(mlp["activation"] == "relu" and type(mlp["maps"]) is int, "only ReLU is checked")
        sound(2 <= mlp["maps"] <= 1000, "the maps of an MLP")
        hidden, states = stream, self.states
        holds = [(r, 0) for r in range(len(stream))]  # what a unit holds: (slot, sign), or None
        for k in range(mlp["maps"] - 1):
            tables = self.affine(f"{name}.maps.{k}", hidden)
            hidden = [states.combine([t], lambda x: (max(x[0], 0), max(x[1], 0))) for t in tables]
            holds = self.held(f"{name}.maps.{k}", holds)
        last = f"{name}.maps.{mlp['maps'] - 1}"
        written = self.affine(last, hidden)
        weights, bias = self.tensor(last + ".weight"), self.tensor(last + ".bias")
        sound(len(written) == len(stream), "an MLP writes another width")
        result = []
        for c, (old, new) in enumerate(zip(stream, written)):
            taken = sorted((holds[r], row[c]) for r, row in enumerate(weights) if row[c] and holds[r])
            others = sum(1 for row in weights if row[c]) != len(taken)
            ends = [end for x in old.entries for end in x]
            whole = [((c, -1), 1 << W)] * (min(ends) < 0) + [((c, 1), -1 << W)] * (max(ends) > 0)
            if len(set(taken)) == len(taken) and set(whole) <= set(taken) <= {((c, -1), 1 << W), ((c, 1), -1 << W)} and not bias[c] and not others:
                result.append(states.column((), lambda: (0, 0)))
            else:
                result.append(states.combine([old, new], self.added))
        return result

    def held(self, name, holds):
        """For each unit (slot, sign) if it holds relu(sign * slot), and else None."""
        weights, bias = self.tensor(name + ".weight"), self.tensor(name + ".bias")
        units = []
        for c in range(len(bias)):
            used = [(holds[r], row[c]) for r, row in enumerate(weights) if row[c]]
            one = used[0] if len(used) == 1 and not bias[c] else (None, 0)
            held = one[0]
            if held is not None and abs(one[1]) == 1 << W:
                sign = 1 if one[1] > 0 else -1
                held = (held[0], sign) if held[1] == 0 else held if sign > 0 else None
            units.append(held if abs(one[1]) == 1 << W else None)
        return units

    def added(self, *terms):
        """The sum of intervals."""
        return self.floats.total([(a << W, b << W) for a, b in terms])

    # heads

    def heads(self, stream, heads, names, where):
        """The stream after the heads of a block, each of which must compute what the plan says."""
        need(isinstance(names, list) and len(names) == len(heads), "the plan's heads")
        terms = [[slot] for slot in stream]
        for number, (head, said) in enumerate(zip(heads, names)):
            need(is_list_of(said, str) and said, "the plan's heads")
            columns = Head(self, stream, head, [self.node(n) for n in said], f"{where}{number}").columns()
            output = self.tensor(f"{where}{number}.output")
            sound(len(output) == len(columns), "the output of a head")
            for row, column in zip(output, columns):
                sound(len(row) == len(stream), "the output of a head")
                for slot, w in enumerate(row):
                    if w:
                        scaled = self.states.combine(
                            [column], lambda x, w=w: self.floats.total([times(w, x)])
                        )
                        terms[slot].append(scaled)
        return [self.states.combine(t, self.added) if len(t) > 1 else t[0] for t in terms]

    # answers

    def decode(self, stream):
        """The answer that is read from the last numbers must be the program's."""
        weights, root = self.tensor("readout.map.weight"), self.meaning.value(self.root)
        sound(len(weights) == len(stream), "the readout reads another width")
        used = [r for r, row in enumerate(weights) if any(row)]
        outputs, decoding = self.tensor("readout.map.bias"), self.model["decoding"]
        cases = self.states.both(root, *[stream[r] for r in used]).entries
        logits = {}
        kind = decoding["kind"]
        need(kind in ("classes", "nearest", "fractions"), "answers that are any number")
        right = getattr(self, f"right_{kind}")(decoding)
        for want, *numbers in cases:
            if want is FAIL:
                continue
            spend(len(outputs))
            key = tuple(numbers)
            if key not in logits:
                logits[key] = [
                    self.floats.total(
                        [(b << S,) * 2, *[times(weights[r][c], x) for r, x in zip(used, numbers)]]
                    )
                    for c, b in enumerate(outputs)
                ]
            right(want, logits[key])

    def row(self, want, values):
        """The number of an answer among the values that can be decoded."""
        need(type(want) in (str, bool, int, float), "an answer")
        hits = [k for k, v in enumerate(values) if self.alike(v, want, type(v) is type(want))]
        if not hits:
            hits = [k for k, v in enumerate(values) if self.alike(v, want, True)]
            self.typed = False
        need(len(hits) >= 1, f"the answer {want!r:.40} is not among the model's answers")
        return hits[0]

    @staticmethod
    def alike(one, two, typed):
        """Whether two values are equal up to the last digits of floats."""
        if not typed or isinstance(one, str) or isinstance(two, str):
            return typed and one == two
        return one == two or abs(one - two) <= 2.0**-40 * max(abs(one), abs(two))

    def right_classes(self, decoding):
        values = decoding["values"]
        sound(is_list_of(values, str, bool, int, float), "the answers")
        sound(len(values) == len(self.tensor("readout.map.bias")) > 0, "the answers")

        def right(want, logits):
            k = self.row(want, values)
            highest = max((x[1] for j, x in enumerate(logits) if j != k), default=logits[k][0] - 1)
            need(logits[k][0] > highest, f"the answer {want!r:.40} may not have the highest logit")

        return right

    def right_nearest(self, decoding):
        values, codes = decoding["values"], decoding["codes"]
        sound(is_list_of(values, str, bool, int, float) and is_list_of(codes, int, float), "codes")
        sound(len(values) == len(codes) > 0 and len(self.tensor("readout.map.bias")) == 1, "codes")
        sound(all(a < b and abs(b) < 2.0**60 for a, b in zip(codes, codes[1:])), "codes")
        points = [int(Fraction(c) * ONE) for c in codes]

        def right(want, logits):
            k, (low, high) = self.row(want, values), logits[0]
            slack = (abs(low) + abs(high) + ONE) >> 45
            above = k == 0 or 2 * low > points[k - 1] + points[k] + slack
            below = k == len(points) - 1 or 2 * high < points[k] + points[k + 1] - slack
            need(above and below, f"the answer {want!r:.40} may be taken for another")

        return right

    def right_fractions(self, decoding):
        most, unit, whole = decoding["most"], decoding["unit"], decoding.get("whole", False)
        sound(type(most) is int and 1 <= most <= 10**6 and len(self.tensor("readout.map.bias")) == 1, "most")
        sound(type(unit) in (int, float) and unit and whole in (True, False), "unit")
        near = Fraction(unit).limit_denominator(1_000_000)
        exact = near if float(near) == unit else Fraction(unit)

        def right(want, logits):
            need(type(want) in (bool, int, float), "an answer that is no number")
            part = (Fraction(want) / exact).limit_denominator(most)
            answer = round(part * exact) if whole else float(part * exact)
            self.row(want, [answer])
            low, high = logits[0]
            room = Fraction(ONE, 2 * most * part.denominator)
            at = part * ONE
            need(at - room < low and high < at + room, f"the answer {want!r:.40} may be another")

        return right


class Head:
    """A softmax head that is said to compute some aggregates over one selector, or one width."""

    def __init__(self, checker, stream, head, nodes, name):
        need(head["kind"] == "head" and head["attention"] == "softmax", "only softmax is checked")
        self.checker, self.meaning, self.states = checker, checker.meaning, checker.states
        self.floats, self.nodes, self.name, self.stream = checker.floats, nodes, name, stream
        graph = checker.graph
        kinds = {graph.nodes[n][:2] for n in nodes}
        need(len(kinds) == 1, f"{name} is said to compute over several selectors")
        kind, self.selector = graph.nodes[nodes[0]][:2]
        need(kind in ("aggregate", "width"), f"{name} is said to compute no aggregate")
        self.counts = kind == "width"
        need(head["mask"] in MASKS, "an unknown mask")
        self.visible = MASKS[head["mask"]]
        self.scale = head["scale"]
        plain = type(self.scale) in (int, float) and 1 <= self.scale < 2.0**40
        need(plain and self.scale == int(self.scale), "the scale of a head")
        self.scale = int(self.scale)
        need(self.scale & (self.scale - 1) == 0, "the scale of a head is no power of two")
        self.masked = head["mask"] != "none"
        self.sink = [single(v) for v in checker.tensor(name + ".sink.key")] if head["sink"] else None
        self.inner, self.best = self.meaning.inside(self.selector)
        self.parts = self.meaning.conjuncts(self.inner)
        if self.masked:
            self.parts = [c for c in self.parts if not self.is_mask(c)]
            self.masked = len(self.parts) == len(self.meaning.conjuncts(self.inner))

    def is_mask(self, selector):
        """Whether a condition says the same of positions as the mask."""
        meaning = self.meaning
        keys, queries = meaning.sides(selector)
        if not meaning.axes_of([*keys, *queries]) <= {PLACE}:
            return False
        size, test = self.checker.longest, meaning.test(selector)
        seen, asked = meaning.at_positions(keys), meaning.at_positions(queries)
        spend(size * size)
        places = range(size)
        return all(
            test(seen[j, size], asked[i, size]) == self.visible(i, j) for i in places for j in places
        )

    def columns(self):
        """What each output column holds."""
        meaning, name = self.meaning, self.name
        filled = meaning.is_filled(self.selector)
        need(filled or self.sink is not None, f"{name} has no sink, but may select nothing")
        need(not self.counts or self.sink is not None, f"{name} counts without a sink")
        self.single = not self.counts and meaning.is_unique(self.nodes[0])
        self.check_scores(filled)
        values = self.checker.affine(name + ".value", self.stream)
        need(len(values) == len(self.nodes), f"{name} writes more than it is said to compute")
        sinks = [None] * len(values)
        if self.sink is not None:
            sinks = [single(v) for v in self.checker.tensor(name + ".sink.value")]
            sound(len(sinks) == len(values), "the sink of a head")
        if self.counts:
            return [self.counted(values[0], sinks[0])]
        return [self.averaged(*each, filled) for each in zip(self.nodes, values, sinks)]

    def check_scores(self, filled):
        """Selected keys must have the same score, and all others one that is lower by the gap."""
        meaning, affine = self.meaning, self.checker.affine
        leaves = [meaning.sides(c) for c in self.parts]
        tests = [meaning.test(c) for c in self.parts]
        ends = [0]
        for side in leaves:
            ends.append(ends[-1] + len(side[0]))
        place = [meaning.graph.indices]
        key_nodes = [n for side in leaves for n in side[0]] + place * self.masked
        if self.best is not None:
            key_nodes += [self.best, *place]
        query_nodes = [n for side in leaves for n in side[1]] + place * self.masked
        vectors = [self.states.both(*affine(f"{self.name}.{s}", self.stream)) for s in ("key", "query")]
        keys = grouped(meaning.rows(key_nodes, vectors[0]))
        queries = grouped(meaning.rows(query_nodes, vectors[1]))
        if self.sink is not None and vectors[0].entries:
            sound(len(self.sink) == len(vectors[0].entries[0]), "the sink of a head")
        cuts = list(zip(ends, ends[1:]))
        outcomes = {}
        for query, seen in queries.items():
            scores = {key: self.score(query, key) for key in keys}
            spend(sum(map(len, keys.values())) * len(seen))
            for row in seen:
                on, off = [], []
                for key, views in keys.items():
                    for view in views:
                        if self.masked and not self.visible(row[ends[-1]], view[ends[-1]]):
                            need(not self.selects(tests, cuts, view, row, outcomes), "a mask hides a key")
                        elif self.selects(tests, cuts, view, row, outcomes):
                            on.append((*view[-2:], scores[key]) if self.best is not None else scores[key])
                        else:
                            off.append(scores[key][1])
                self.check_query(on, max(off, default=None), query, filled)

    def selects(self, tests, cuts, view, row, outcomes):
        """Whether a query selects a key, by all conditions."""
        key = view[: cuts[-1][1]] if cuts else (), row[: cuts[-1][1]] if cuts else ()
        if key not in outcomes:
            results = [test(view[a:b], row[a:b]) for test, (a, b) in zip(tests, cuts)]
            outcomes[key] = FAIL not in results and all(results)
        return outcomes[key]

    def score(self, query, key):
        """The interval of a score; the query is multiplied by the scale."""
        spend(len(key))
        return self.floats.total([product_of(times(self.scale, q), k) for q, k in zip(query, key)])

    def check_query(self, on, off, query, filled):
        """One query: the scores of selected keys, the greatest of all others, and the sink."""
        name, gap = self.name, self.floats.gap * ONE
        low = None
        if self.best is not None and on:
            low = self.check_order(sorted(on, key=lambda entry: entry[:2]))
        elif on and self.single:
            low = min(score[0] for score in on)
        elif on:
            low = on[0][0]
            need(all(s == (low, low) for s in on), f"{name}: scores of selected keys may differ")
        if self.sink is not None:
            sink = self.score(query, self.sink)
            if self.counts:
                need(sink[0] == sink[1] and low in (None, sink[0]), f"{name}: the sink is not level")
                low = sink[0]
            else:
                need(low is None or low - sink[1] >= gap, f"{name}: a key is not above the sink")
                need(filled or off is None or sink[0] - off >= gap, f"{name}: the sink is too low")
        need(low is None or off is None or low - off >= gap, f"{name}: the gap is too small")

    def check_order(self, on):
        """The keys of `best`, in order of score and position: each above all before it; the least score."""
        gap, before, highest, group = self.floats.gap * ONE, None, None, None
        for score, place, interval in on:
            if (score, place) != group:
                group, before = (score, place), highest
            need(before is None or interval[0] - before >= gap, f"{self.name}: best is not highest")
            highest = interval[1] if highest is None else max(highest, interval[1])
        return min(interval[0] for *_, interval in on)

    def counted(self, values, sink):
        """c / (k + 1) for k selected keys: the sum k + 1 is exact, and at most two operations round."""
        need(values.entries == [(0, 0)], f"{self.name}: a value of a count is not zero")
        need(sink[0] == sink[1] and self.checker.longest + 2 < 1 << self.floats.digits, "a count")

        def share(count):
            if count is FAIL or count == 0:
                return sink
            error = 3 * abs(sink[0]) // ((count + 1) << self.floats.digits) + 3
            return sink[0] // (count + 1) - error, -(-sink[0] // (count + 1)) + error

        return self.states.combine([self.meaning.value(self.nodes[0])], share)

    def averaged(self, node, column, sink, filled):
        """The column for each value of the aggregate."""
        value, default = self.meaning.graph.nodes[node][2:4]
        by_value = {}
        for v, box in self.meaning.rows([value], column):
            by_value[keyed(v)] = hull(box, by_value.get(keyed(v), box))
        result = self.meaning.value(node)
        if self.single:
            whole = hull(*by_value.values(), *([] if filled else [sink]))

            def taken(v):
                boxes = [by_value[keyed(v)]] if keyed(v) in by_value else []
                boxes += [sink] if not filled and keyed(v) == keyed(default) else []
                return hull(*boxes) if boxes else whole

            return self.states.combine([result], taken)
        need(all(t in (bool, int, float) for t, _ in by_value), f"{self.name}: a mean of texts")
        exact = [(box, round(Fraction(v) * ONE)) for (_, v), box in by_value.items()]
        low = min(box[0] - at for box, at in exact)
        high = max(box[1] - at for box, at in exact)
        size = max(max(abs(box[0]), abs(box[1])) for box, _ in exact)
        terms = self.checker.longest + 3
        need(size * terms < self.floats.top >> W, "a mean may overflow")
        error = 2 * self.floats.gamma(terms, size) + 2 * terms + 2

        def mean(v):
            if v is FAIL:
                return 0, 0
            at = round(Fraction(v) * ONE)
            slack = error + (abs(at) >> 52) + 1
            box = at + low - slack, at + high + slack
            return hull(box, sink) if not filled and v == default else box

        return self.states.combine([result], mean)


def grouped(rows):
    """What is seen, by the vector that stands at the end."""
    groups = {}
    for row in rows:
        groups.setdefault(row[-1], []).append(row[:-1])
    return groups


def theorem(checker):
    """What was proved, in words."""
    tokens = ", ".join(json.dumps(t, ensure_ascii=False) for t in checker.vocabulary[:40])
    more = "" if len(checker.vocabulary) <= 40 else ", ..."
    system, gap = checker.model["numbers"], checker.floats.gap
    causal = ", with later positions hidden from every selector" if checker.causal else ""
    types = "value and type" if checker.typed else "value (types are not proved)"
    return f"""PROVED. Let P be this program{causal}:

{checker.text.rstrip()}

For every word of 1 to {checker.longest} tokens out of {tokens}{more} on which P has a value, the answer of
the model at each position is that of P, in {types}, in {system}.
Assumptions: 1. every sum, product and quotient is rounded to nearest, in any order, fused or not,
with or without denormal numbers; 2. softmax subtracts the greatest score, exp(0) = 1, and
exp(x) = 0 for x <= -{gap}; 3. the model computes what the format of the file says; 4. answers that
are floats are equal if they differ by less than 2^-40 of their size."""


def main(arguments):
    """Checks a file, prints what was found, and gives the exit code."""
    sys.setrecursionlimit(20_000)
    if len(arguments) != 1:
        print("usage: python -S capax_check.py MODEL.safetensors")
        return 2
    try:
        checker = Checker(arguments[0])
        checker.run()
    except Refused as reason:
        print(f"NOT PROVED: {reason}")
        return 1
    except (BadFile, OSError, UnicodeError, json.JSONDecodeError, struct.error) as reason:
        print(f"BAD FILE: {reason}")
        return 2
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as reason:
        print(f"NOT PROVED: the file is not as it should be ({type(reason).__name__}: {reason})")
        return 1
    except (RecursionError, MemoryError):
        print("NOT PROVED: the file is too large to be checked")
        return 1
    print(theorem(checker))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
