"""Proves from a model's file alone that its answers are those of the program in the file.

    python -S capax_check.py MODEL.safetensors

prints the theorem that was proved (exit code 0), why there is none (1), or what is wrong with the
file (2). Only integers are computed with. What is hard to find is in the plan in the file; nothing
in it is trusted. docs/reference/plan.md has its form, docs/explanation/trust.md the lemmas.

An axis is what the program can know at one position of a word: the token, the position, the length,
the result of an aggregate or count. A table gives something for each combination of values of some
axes: the value of an s-op, or an interval around a number of the model, in units of 2^-100.
"""

import json
import math
import operator
import re
import struct
import sys
from collections import namedtuple
from fractions import Fraction
from itertools import product

S, W = 100, 60  # numbers are in units of 2^-S, weights in 2^-W, products of both in 2^-(S + W)
ONE = 1 << S
# what is at most allowed: combinations of values, work, length; numbers and header of a file
CELLS, WORK, LONGEST, NUMBERS, HEADER = 600_000, 60_000_000, 1024, 16_000_000, 16_000_000
# number system: dtype, letter, digits, exponent of the least normal number, of the greatest sum;
# and exp(-gap) is zero
SYSTEMS = {"float32": ("F32", "f", 24, 126, 120, 104), "float64": ("F64", "d", 53, 1022, 1000, 746)}
TOKEN, PLACE, LENGTH = 0, 1, 2  # the axes that every program has
FAIL = ("the program fails here",)  # the value of an s-op that has none
ATOMS = (str, bool, int, float)
MASKS = {"none": None, "causal": "<=", "strict past": "<", "future": ">=", "strict future": ">"}
DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
LIMITS = (OSError, MemoryError, RecursionError)


class Refused(Exception):
    """There is no proof (code 1), or no model's file (code 2), for a reason."""


class Work:
    done = 0


def need(holds, why, code=1):
    if not holds:
        raise Refused(why, code)


def spend(count):
    """Takes note of work, before it is done; too much is refused, and costs nothing."""
    need(Work.done + count <= WORK, "the check would take too long")
    Work.done += count


def effort(leaves):
    """How long a selector of so many comparisons takes, next to one of few."""
    return 1 + len(leaves) // 4


def holds(check, *args):
    """What a check gives that need not hold; None if it does not, and is not used."""
    try:
        return check(*args)
    except Refused:
        return None


def list_of(value, *kinds):
    return isinstance(value, list) and all(type(item) in kinds for item in value)


def keyed(value):
    """A key that tells 1, 1.0 and True apart."""
    return tuple(map(keyed, value)) if isinstance(value, tuple) else (type(value), value)


def grouped(rows):
    """Rows by their last entry, without it."""
    groups = {}
    for row in rows:
        groups.setdefault(row[-1], []).append(row[:-1])
    return groups


# ---- the file -----------------------------------------------------------------------------------


def parsed(text):
    """JSON without NaN and double keys."""

    def pairs(items):
        need(len(dict(items)) == len(items), "a key stands twice", 2)
        return dict(items)

    no_number = lambda name: need(False, f"{name} is no number", 2)
    return json.loads(text, object_pairs_hook=pairs, parse_constant=no_number)


def read_file(path):
    """The description of a model, and its tensors as integers in units of 2^-W."""
    with open(path, "rb") as file:
        data = file.read(HEADER + 8 * NUMBERS + 9)
    size = int.from_bytes(data[:8], "little")
    need(size <= HEADER and 8 + size <= len(data), "it ends early, or is too large", 2)
    header, body, end, tensors = parsed(data[8 : 8 + size].decode()), data[8 + size :], 0, {}
    meta = header.pop("__metadata__")
    need(meta["format"] == "capax-model" and meta["version"] == "2", "no model of capax", 2)
    model = parsed(meta["model"])
    need(model["numbers"] in SYSTEMS, "only float32 and float64 are checked")
    (dtype, letter), count = SYSTEMS[model["numbers"]][:2], 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        shape = entry["shape"]
        need(list_of(shape, int) and 1 <= len(shape) <= 2, f"the shape of {name!r:.60}", 2)
        need(all(s >= 0 for s in shape), f"the shape of {name!r:.60}", 2)
        rows, columns = [*shape, 1][:2]
        count += rows * (columns + 1)
        start, end = end, end + struct.calcsize(letter) * rows * columns
        need(entry["data_offsets"] == [start, end], "tensors with gaps or overlaps", 2)
        need(entry["dtype"] == dtype and count <= NUMBERS, "a type, or a size", 2)
        flat = [weight(number) for (number,) in struct.iter_unpack("<" + letter, body[start:end])]
        need(len(flat) == rows * columns, "a tensor ends early", 2)
        cut = [flat[r * columns : (r + 1) * columns] for r in range(rows)]
        tensors[name] = cut if len(shape) == 2 else flat
    need(end == len(body), "numbers that belong to no tensor", 2)
    return model, tensors


def weight(number):
    need(number == number and abs(number) < 2.0**100, "a weight is no number of usual size", 2)
    top, bottom = number.as_integer_ratio()
    need(bottom <= 1 << W, "a weight needs more than 60 binary places")
    return top * ((1 << W) // bottom)


# ---- sums in floating point ---------------------------------------------------------------------


class Floats:
    """Sums in a number system: in any order, fused or not, with or without denormal numbers."""

    def __init__(self, name):
        _, _, self.digits, least, top, gap = SYSTEMS[name]
        self.least, self.top, self.gap = max(1, (1 << (S + W)) >> least), 1 << (S + W + top), gap

    def total(self, terms):
        """The interval of a sum of products, which are intervals in units of 2^-(S + W)."""
        error = self.error(terms)
        low, high = sum(a for a, _ in terms) - error, sum(b for _, b in terms) + error
        if all(a >= 0 for a, _ in terms):  # rounding keeps a sign that all have
            low = max(low, 0)
        if all(b <= 0 for _, b in terms):
            high = min(high, 0)
        return low >> W, -(-high >> W)

    def error(self, terms):
        """How far such a sum is from the exact one.

        Not at all if all terms are known multiples of q >= 2^-60 and sum |t| < q 2^digits; else by
        gamma(m) sum |t| + (m + 2) least.
        """
        terms = [t for t in terms if t != (0, 0)]
        size, bits = sum(max(abs(a), abs(b)) for a, b in terms), 0
        need(size < self.top, "a sum may overflow")
        if all(a == b for a, b in terms):
            for a, _ in terms:
                bits |= a
            unit = bits & -bits
            if not terms or (size < unit << self.digits and unit >= 1 << (S + W - 60)):
                return 0
        return self.gamma(len(terms), size) + (len(terms) + 2) * self.least

    def gamma(self, count, size):
        need(count < 1 << 22, "a sum has too many terms")
        return -(-count * size // ((1 << self.digits) - count))


def times(factor, x):
    return (factor * x[0], factor * x[1]) if factor >= 0 else (factor * x[1], factor * x[0])


def product_of(x, y):
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> (S - W), -((-max(ends)) >> (S - W))


def hull(*intervals):
    return min(x[0] for x in intervals), max(x[1] for x in intervals)


# ---- the program's text -------------------------------------------------------------------------

LEXER = re.compile(
    r"""\s+|\#[^\n]*|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:\\[^\n]|[^"\\\n])*")|(?P<unclosed>"[^\n]*)|(?P<name>[A-Za-z_]\w*)
    |(?P<sign>==|!=|<=|>=|//|[-+*/%^<>=()\[\]{},:;])""",
    re.VERBOSE | re.ASCII,
)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
LEVELS = "in|if|and or|== != < > <= >=|+ -|%|* / //|^"  # from the loosest
POWER = {op: n for n, level in enumerate(LEVELS.split("|"), 1) for op in level.split()}
PREFIX = {"not": "not", "-": "neg", "+": "pos"}
READERS = {"asis": lambda token: token, "str": str, "int": int, "float": float, "bool": bool}
PYTHON = "==:eq !=:ne <:lt >:gt <=:le >=:ge +:add -:sub *:mul /:truediv //:floordiv %:mod ^:pow"
PYTHON += " not:not_ neg:neg pos:pos"
OPS = {sign: getattr(operator, name) for sign, name in (p.split(":") for p in PYTHON.split())}
OPS |= {"and": lambda a, b: bool(a) and bool(b), "or": lambda a, b: bool(a) or bool(b)}
OPS |= {"where": lambda c, a, b: a if c else b, "indicator": lambda a: 1 if a else 0}
OPS |= {"max": lambda a, b: a if a > b else b, "min": lambda a, b: a if a < b else b}
OPS |= {"round": round, "abs": abs, "sign": lambda a: (a > 0) - (a < 0)}
ARITY = {"round": 1, "abs": 1, "sign": 1, "indicator": 1, "max": 2, "min": 2}
ROUNDS = ("length", "length-1", "ceil_log2(length)")
FUNCTIONS = {"aggregate": (2, 3), "selector_width": (1, 1), "best": (2, 2)}
JOINS = {"and": operator.and_, "or": operator.or_, "not": operator.not_}
# what comparisons see: a key (0) and a query (1); in selectors of pairs two keys (0, 1) and a query
TRIPLES = {"first": (0, 2), "second": (1, 2), "keys": (0, 1), "sum": (0, 1, 2)}
ROLES = {"select": (0, 1), **TRIPLES}


def applied(op, *args):
    """The value of an operation, or FAIL where the language has none."""
    if FAIL in args:
        return FAIL
    if op in ("*", "%", "^"):
        need(not any(isinstance(a, str) for a in args), "an operation on texts is not checked")
        need(op != "^" or (type(args[0]) is type(args[1]) is int and 0 <= args[1] < 64), "a power")
    try:
        value = OPS[op](*args)
    except (ArithmeticError, TypeError, ValueError):
        return FAIL
    need(type(value) in ATOMS and value == value, "a value of an unknown type")
    need(type(value) in (bool, float) or len(repr(value)) < 1000, "a very large value")
    return value


def looked_up(kind, entries, value):
    """The entry of a list or dictionary, or whether it is a member; FAIL where there is none."""
    spend(len(entries) // 16)
    if value is FAIL or (kind == "list" and not isinstance(value, int)):
        return FAIL
    if kind == "members":
        return any(key == value for key, _ in entries)
    if kind == "list" and -len(entries) <= value < 0:
        value += len(entries)
    return next((item for key, item in entries if key == value), FAIL)


def passes(values, modulus, op, constant):
    """Whether a sum of integers, or what is left of it, stands in an order to a number."""
    need(all(type(v) is int for v in values), "a sum of what are no integers")
    return OPS[op](sum(values) % modulus if modulus else sum(values), constant)


class Node(int):
    """The number of a node in a graph."""


class Graph:
    """Nodes of programs, each once: tuples of a kind and parts."""

    def __init__(self):
        self.nodes, self.numbers, self.triples = [], {}, set()
        self.indices, one = self.add("indices"), self.constant(1)
        self.full = self.add("select", one, one, "==")
        self.causal = self.add("select", self.indices, self.indices, "<=")

    def add(self, *parts):
        key = repr(parts)  # which tells 1, 1.0 and True apart
        spend(len(key))
        if key not in self.numbers:
            need(len(self.nodes) < 20_000, "too many nodes")
            node = self.numbers[key] = Node(len(self.nodes))
            self.nodes.append(parts)
            if parts[0] in TRIPLES or (parts[0] in JOINS and parts[1] in self.triples):
                self.triples.add(node)
        return self.numbers[key]

    def constant(self, value):
        need(type(value) in (Node, *ATOMS), "a list stands where a value should")
        return value if isinstance(value, Node) else self.add("constant", value)

    def kind(self, node):
        return self.nodes[node][0]

    def selects(self, value):
        return isinstance(value, Node) and self.kind(value) in ("best", *JOINS, *ROLES)

    def pairs(self, selector):
        """Whether it selects pairs of keys, as heads of third order do."""
        return selector in self.triples

    def lifted(self, side, selector):
        """A selector of keys as one of pairs, which compares two of both keys and the query."""
        kind, *parts = self.nodes[selector]
        need(kind in ("select", *JOINS), "a selector of pairs within another")
        parts = parts if kind == "select" else [self.lifted(side, part) for part in parts]
        return self.add(side if kind == "select" else kind, *parts)

    def aggregate(self, selector, causal, value=None, default=0):
        """An aggregate, or without a value a width; in causal programs over earlier keys alone."""
        if self.kind(selector) == "best":
            value = self.constant(1) if value is None else value
        elif causal:
            seen = self.causal
            if self.pairs(selector):
                seen = self.add("and", self.lifted("first", seen), self.lifted("second", seen))
            selector = self.add("and", selector, seen)
        parts = ("width", selector) if value is None else ("aggregate", selector, value, default)
        return self.add(*parts)

    def below(self, roots):
        seen, waiting = set(), list(roots)
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += [part for part in self.nodes[node][1:] if isinstance(part, Node)]
        return seen

    def split(self, selector, kinds=tuple(JOINS)):
        """The parts of a selector that operations join, from left to right."""
        kind, *parts = self.nodes[selector]
        result = [x for p in parts for x in self.split(p, kinds)] if kind in kinds else [selector]
        need(len(result) < 500, "a selector of many parts")
        return result

    def inside(self, selector):
        """A selector, and the score if it is a `best`."""
        kind, *parts = self.nodes[selector]
        return parts if kind == "best" else (selector, None)


class Parser:
    """Statements `name = expression;` without functions, and at most one loop."""

    def __init__(self, graph, text, causal, names=()):
        need(isinstance(text, str) and len(text) <= 300_000, "no text, or one that is too long")
        matches = list(LEXER.finditer(text))
        need(sum(len(m[0]) for m in matches) == len(text), "the text has a sign that is not known")
        self.tokens = [(m.lastgroup, m[0]) for m in matches if m.lastgroup] + [("end", "")]
        self.graph, self.causal, self.at, self.names = graph, causal, 0, dict(names)
        self.last = self.rounds = None
        self.loop = {}, {}  # what the states of a loop are at first, and after a round
        while self.tokens[self.at][0] != "end":
            if self.tokens[self.at][1] == "repeat" and self.tokens[self.at + 1][1] != "=":
                self.repeat()
            else:
                name, self.last = self.assigned()
                self.names[name] = self.last

    def assigned(self):
        """A statement: the name, and the value."""
        (kind, name), self.at = self.tokens[self.at], self.at + 1
        need(kind == "name", "a statement is `name = expression;`")
        self.take("=")
        value = self.expression()
        self.take(";")
        return name, value

    def repeat(self):
        """A loop: its body reads states as they were; afterwards their names are the results."""
        need(self.rounds is None, "a second loop")
        begin = self.at + 1
        while self.tokens[self.at][1] not in ("{", ""):
            self.at += 1
        self.rounds = "".join(text for _, text in self.tokens[begin : self.at])
        known = self.rounds.isdigit() or (self.rounds in ROUNDS and not self.causal)
        own = {"length", "ceil_log2"} & set(self.names)
        need(known and not own, "rounds of an unknown number")
        self.take("{")
        around, states, (starts, nexts) = self.names, {}, self.loop
        while self.take("state", must=False):
            name, value = self.assigned()
            need(name not in states, "a state stands twice")
            states[name] = self.graph.add("state", name)
            starts[states[name]] = self.sop(value)
        self.names = around | states
        while not self.take("}", must=False):
            name, value = self.assigned()
            if name in states:
                need(states[name] not in nexts, "a state is set twice")
                nexts[states[name]] = self.sop(value)
            else:
                self.names[name] = value
        self.names, self.last = around | states, None

    def take(self, *texts, must=True):
        """Passes a sign or word, and gives it; without `must` None if another one follows."""
        kind, text = self.tokens[self.at]
        fits = kind in ("sign", "name") and text in texts
        need(fits or not must, f"{text!r:.20} stands where {texts[0]} should")
        self.at += fits
        return text if fits else None

    def expression(self, above=0):
        """Operators that bind tighter than a level, from left to right; prefixes do so most."""
        sign = self.take(*PREFIX, must=False)
        value = self.mapped(PREFIX[sign], self.expression(len(POWER))) if sign else self.postfix()
        while (power := POWER.get(self.tokens[self.at][1], 0)) > above:
            op = self.take(self.tokens[self.at][1])
            other = self.expression(power - (op == "if"))
            if op == "in":
                need(isinstance(other, list), "`in` needs a list")
                value = self.looked("members", [(item, True) for item in other], value)
            elif op == "if":
                self.take("else")
                need(isinstance(other, Node), "a condition that is no s-op")
                value = self.mapped("where", other, value, self.expression(power))
            else:
                value = self.mapped(op, value, other)
        return value

    def mapped(self, op, *args):
        """An operation on selectors, on s-ops, or on single values."""
        graph = self.graph
        if all(map(graph.selects, args)) and op in JOINS:
            need(len({*map(graph.pairs, args)}) == 1, "selectors of two kinds")
            return graph.add(op, *map(self.alone, args))
        if any(isinstance(a, Node) for a in args):
            return graph.add("map", op, *map(self.sop, args))
        need(all(type(a) in ATOMS for a in args) and op not in ("and", "or"), "a constant")
        value = applied(op, *args)
        need(value is not FAIL, "a constant has no value")
        return value

    def alone(self, selector):
        """A `best` inside another selector: the key is at the position that it picks."""
        graph = self.graph
        if graph.kind(selector) != "best":
            return selector
        picked = graph.add("aggregate", selector, graph.indices, -1)
        return graph.add("select", graph.indices, picked, "==")

    def sop(self, value):
        need(not self.graph.selects(value), "a selector stands where an s-op should")
        return self.graph.constant(value)

    def looked(self, kind, entries, arg):
        need(isinstance(arg, Node) and len(entries) < 20_000, "a table")
        need(all(type(x) in ATOMS for e in entries for x in e), "a table")
        return self.graph.add("table", kind, tuple(entries), self.sop(arg))

    def postfix(self):
        value = self.primary()
        while self.take("[", must=False):
            at, is_dict = self.expression(), isinstance(value, dict)
            self.take("]")
            need(is_dict or type(value) in (list, str), "what is looked up in is no list")
            entries = value.items() if is_dict else enumerate(value)
            value = self.looked("dict" if is_dict else "list", list(entries), at)
        return value

    def primary(self):
        (kind, text), self.at = self.tokens[self.at], self.at + 1
        if kind == "number":
            return int(text) if text.isdigit() else float(text)
        if kind == "string":
            return ESCAPE.sub(unescaped, text[1:-1])
        if kind == "name":
            return self.call(text) if self.take("(", must=False) else self.name(text)
        need(text in ("(", "[", "{"), f"{text!r:.20} stands where a value should")
        values = self.items({"(": ")", "[": "]", "{": "}"}[text])
        if text == "{":
            need(all(type(k) in ATOMS for k, _ in values), "a key of a dictionary")
            need(len(dict(values)) == len(values), "a key stands twice")
            return dict(values)
        need(text == "[" or len(values) == 1, "parentheses")
        return values if text == "[" else values[0]

    def items(self, end):
        values = []
        while not self.take(end, must=False):
            _ = values and self.take(",")
            values.append(self.expression())
            if end == "}" and self.take(":"):
                values[-1] = values[-1], self.expression()
        return values

    def name(self, name):
        graph = self.graph
        if name in self.names:
            return self.names[name]
        if name == "length":
            return graph.aggregate(graph.full, self.causal)
        kind = "str" if name == "tokens" else name.removeprefix("tokens_")
        known = {"True": True, "False": False, "indices": graph.indices, "full_s": graph.full}
        if name.startswith("tokens") and kind in READERS:
            known[name] = graph.add("input", kind)
        need(name in known, f"the name {name:.40} is not known")
        return known[name]

    def call(self, name):
        graph, least_most = self.graph, FUNCTIONS.get(name)
        need(name not in self.names, f"`{name}` is no function")
        if name in ("select", "select3"):
            return self.selector(name)
        args = self.items(")")
        if name.removeprefix("on_") in ("first", "second", "keys") and name[:3] == "on_":
            need(len(args) == 1 and graph.selects(args[0]), f"the arguments of {name}")
            graph.split(args[0])  # which bounds its size
            return graph.lifted(name[3:], self.alone(args[0]))
        if least_most:
            fits = least_most[0] <= len(args) <= least_most[1] and graph.selects(args[0])
            fits = fits and not (name == "best" and graph.pairs(args[0]))
            need(fits and all(type(a) in ATOMS for a in args[2:]), f"the arguments of {name}")
            selector, sops = args[0], [self.sop(a) for a in args[1:2]]
            if name != "best":
                return graph.aggregate(selector, self.causal, *sops, *args[2:])
            if graph.kind(selector) == "best":
                return selector
            seen = graph.add("and", selector, graph.causal) if self.causal else selector
            return graph.add("best", seen, *sops)
        if name == "constant" and len(args) == 1:
            return graph.constant(args[0])
        need(ARITY.get(name) == len(args), f"the function {name:.40} is not known here")
        return self.mapped(name, *args)

    def selector(self, name):
        """A comparison; or a sum of three s-ops, or what is left of it, beside an integer."""
        sides, modulus, value = [], 0, None
        for _ in range(2 + (name == "select3")):
            sides.append(self.sop(self.expression()))
            self.take(",")
        if name == "select3" and self.take("sum") and self.take("%", must=False):
            modulus = self.expression(len(POWER))
            need(type(modulus) is int and modulus > 0, "a sum modulo what is no number above 0")
        op = self.take(*COMPARISONS)
        if name == "select3":
            value = self.expression(POWER["=="])
            need(type(value) is int, "a sum is compared with what is no integer")
        self.take(")")
        if name == "select3":
            return self.graph.add("sum", *sides, modulus, op, value)
        return self.graph.add("select", *sides, op)


def unescaped(match):
    number = match[1] or match[2]
    need(match[3] in ESCAPES if number is None else int(number, 16) < 0x110000, "an escape")
    return chr(int(number, 16)) if number else ESCAPES[match[3]]


# ---- tables over axes ---------------------------------------------------------------------------

Table = namedtuple("Table", "grid ids entries")  # for each cell the number of its entry


class Grid:
    """All combinations of values of some axes that may happen, as tuples of numbers of values."""

    def __init__(self, axes, cells):
        self.axes, self.cells, self.maps = axes, cells, {}
        self.index = {cell: number for number, cell in enumerate(cells)}


class States:
    """The axes, what cannot happen together, and tables."""

    def __init__(self, tokens, longest):
        self.axes = [list(tokens), list(range(longest)), list(range(1, longest + 1))]
        self.grids, self.impossible = {}, []
        self.forbid([self.axis(PLACE), self.axis(LENGTH)], operator.ge)

    def grid(self, axes):
        if axes not in self.grids:
            cells = [()]
            for number, axis in enumerate(axes, 1):
                values = range(len(self.axes[axis]))
                need(len(cells) * len(values) <= CELLS, "too many combinations of values")
                spend(len(cells) * len(values))
                cells = [(*cell, v) for cell in cells for v in values]
                for others, never in self.impossible:
                    if axis in others and set(others) <= set(axes[:number]):
                        at = [axes.index(a) for a in others]
                        cells = [c for c in cells if tuple([c[k] for k in at]) not in never]
            self.grids[axes] = Grid(axes, cells)
        return self.grids[axes]

    def constant(self, value):
        return Table(self.grid(()), [0], [value])

    def axis(self, axis, function=lambda value: value):
        """The table of a function of the value of an axis."""
        grid = self.grid((axis,))
        values = [self.axes[axis][cell[0]] for cell in grid.cells]
        return self.combine([Table(grid, list(range(len(values))), values)], function)

    def ids(self, table, grid):
        """The number of a table's entry for each cell of a larger grid."""
        if table.grid is grid:
            return table.ids
        if id(table.grid) not in grid.maps:
            at, index = [grid.axes.index(a) for a in table.grid.axes], table.grid.index
            spend(len(grid.cells))
            places = [index[tuple([cell[k] for k in at])] for cell in grid.cells]
            grid.maps[id(table.grid)] = places, table.grid  # kept, so that its id stays its own
        return [table.ids[place] for place in grid.maps[id(table.grid)][0]]

    def new_axis(self, values):
        self.axes.append(values)
        return self.axis(len(self.axes) - 1)

    def combine(self, tables, function=lambda *values: values):
        """The table of a function of the entries of tables, over the axes that it depends on."""
        grid = self.grid(tuple(sorted({a for t in tables for a in t.grid.axes})))
        spend(len(grid.cells) * len(tables))
        rows = list(zip(*[self.ids(t, grid) for t in tables])) or [()] * len(grid.cells)
        numbers, entries = {}, {}
        for row in dict.fromkeys(rows):
            spend(10)
            result = function(*[t.entries[k] for t, k in zip(tables, row)])
            numbers[row] = entries.setdefault(keyed(result), (len(entries), result))[0]
        entries = [result for _, result in entries.values()]
        if len(entries) == 1:
            return self.constant(entries[0])
        ids = [numbers[row] for row in rows]
        for axis in grid.axes if entries else ():
            at, seen = grid.axes.index(axis), {}
            spend(len(ids))
            for cell, k in zip(grid.cells, ids):
                if seen.setdefault((*cell[:at], *cell[at + 1 :]), k) != k:
                    break
            else:  # the axis does not matter; combinations of others that were not there never are
                axes = tuple(a for a in grid.axes if a != axis)
                self.never(axes, {cell for cell in self.grid(axes).cells if cell not in seen})
                grid = self.grid(axes)
                ids = [seen[cell] for cell in grid.cells]
        return Table(grid, ids, entries)

    def never(self, axes, cells):
        """Notes combinations that never happen; nor does a value that is in no other one."""
        if cells:
            self.impossible.append((axes, cells))
            self.grids = {}
            left = self.grid(axes).cells if len(axes) > 1 else ()
            for k, axis in enumerate(axes if left else ()):
                values = {cell[k] for cell in left}
                alone = {cell for cell in self.grid((axis,)).cells if cell[0] not in values}
                self.never((axis,), alone)

    def forbid(self, tables, function):
        """Notes that entries of which a function is true never stand beside each other.

        Where there are too many combinations nothing is noted, which loses no truth.
        """
        table = holds(self.combine, tables, lambda *values: bool(function(*values)))
        if table is not None:
            cells = {cell for cell, k in zip(table.grid.cells, table.ids) if table.entries[k]}
            self.never(table.grid.axes, cells)


# ---- what the program means on states -----------------------------------------------------------


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
    """Tables of the values of nodes; `program` has the nodes of the program itself."""

    def __init__(self, graph, states, longest, program, links, values=()):
        self.graph, self.nodes, self.states, self.longest = graph, graph.nodes, states, longest
        self.program, self.links, self.tables, self.filled, self.ranks = program, links, {}, {}, {}
        self.values = values  # of the states of a loop
        self.picked, self.busy = [], set()
        self.fails_for_several = set(program)  # a node that is the same as one of the program, too

    def value(self, node):
        if node not in self.tables:
            kind, *parts = self.nodes[node]
            need(node not in self.busy, "links of the plan go in a circle")
            self.busy.add(node)
            try:
                base = kind in ("aggregate", "width")
                table = self.base(node, *parts) if base else self.elementwise(node, kind, parts)
            finally:
                self.busy.remove(node)
            if node in self.program:
                self.states.forbid([table], lambda v: v is FAIL)
            self.tables[node] = table
        return self.tables[node]

    def elementwise(self, node, kind, parts):
        def reading(token):
            try:
                return READERS[parts[0]](token)
            except (ValueError, OverflowError):
                return FAIL

        if kind == "constant":
            return self.states.constant(parts[0])
        if kind in ("input", "indices"):
            return self.states.axis(TOKEN, reading) if parts else self.states.axis(PLACE)
        if kind == "map":
            args = [self.value(a) for a in parts[1:]]
            return self.states.combine(args, lambda *values: applied(parts[0], *values))
        if kind == "state":
            need(node in self.values, f"the plan does not list the values of {parts[0]:.40}")
            return self.states.new_axis(self.values[node])
        need(kind == "table", "a selector stands where an s-op should")
        return self.states.combine([self.value(parts[2])], lambda v: looked_up(*parts[:2], v))

    def base(self, node, selector, value=None, default=0):
        """An aggregate or width: as the plan says, by trying all positions, or as an axis."""
        links, table, positional = self.links, None, self.positional(selector)
        for other in links["same"].get(node, ()):
            if holds(self.check_same, node, other):
                if node in self.fails_for_several:
                    self.fails_for_several.add(other)
                return self.value(other)
        if positional and value is not None and self.selects_itself(selector):
            return self.value(value)
        if positional and (value is None or self.of_positions([value])):
            table = self.by_positions(selector, value, default)
        elif node in links["parts"]:
            table = holds(self.by_parts, node, selector, value, default)
        if table is None:
            table = self.as_axis(node, selector, value, default)
        if value is None and node in links["limits"]:
            most = self.limit(selector, links["limits"][node])
            self.states.forbid([table], lambda count: count > most)
        return table

    # what selectors see

    def test(self, selector, *starts):
        """Whether a query selects a key, by rows of both; or a pair of keys, by rows of all three.

        What the comparisons see stands in the rows from the numbers `starts` on, or 0.
        """
        leaves, starts = self.graph.split(selector), starts or (0, 0, 0)

        def made(node):
            kind, *parts = self.nodes[node]
            if kind in JOINS:
                join, (one, *two) = JOINS[kind], map(made, parts)
                if not two:
                    return lambda *rows: join(one(*rows))
                return lambda *rows: join(one(*rows), two[0](*rows))
            at, (one, two, *_) = leaves.index(node), ROLES[kind]
            if kind == "sum":
                spots = [start + at for start in starts]
                return lambda *rows: passes([r[k] for r, k in zip(rows, spots)], *parts[3:])
            compare, key, query = OPS[parts[2]], starts[one] + at, starts[two] + at
            return lambda *rows: compare(rows[one][key], rows[two][query])

        run = made(selector)

        def tested(*rows):
            try:
                return run(*rows)
            except TypeError:
                need(selector in self.program, "a selector of the plan fails")
                return FAIL

        return tested

    def sides(self, selector, kinds=("select",)):
        """What the comparisons see of keys, and of queries; where pairs are selected of three."""
        leaves = [self.nodes[leaf] for leaf in self.graph.split(selector)]
        need(all(leaf[0] in kinds for leaf in leaves), "a selector of an unknown kind")
        seen, one = [dict(zip(ROLES[k], parts)) for k, *parts in leaves], self.graph.constant(1)
        return [[leaf.get(k, one) for leaf in seen] for k in range(2 if "select" in kinds else 3)]

    def rows(self, nodes, *tables):
        """All combinations of values of s-ops, and of entries of tables."""
        rows = self.states.combine([*map(self.value, nodes), *tables]).entries
        for node in {n for row in rows for n, v in zip(nodes, row) if v is FAIL}:
            need(node in self.program, "an s-op of the plan fails")
        return [row for row in rows if FAIL not in row]

    def axes(self, nodes):
        return {axis for node in nodes for axis in self.value(node).grid.axes}

    def of_positions(self, nodes):
        return self.axes(nodes) <= {PLACE, LENGTH}

    def positional(self, selector):
        inner, score = self.graph.inside(selector)
        if self.graph.pairs(inner):
            return False
        keys, queries = self.sides(inner)
        return self.of_positions([*keys, *queries] + [score] * (score is not None))

    def at_positions(self, nodes):
        """The values of s-ops that depend on position and length, by both."""
        corner = [self.states.axis(PLACE), self.states.axis(LENGTH)]
        whole = self.states.combine([*map(self.value, nodes), *corner])
        return {row[-2:]: row[:-2] for row in whole.entries}

    def all_pairs(self, selectors, check, extra=()):
        """Calls a check for each key, or pair of keys, and query.

        It is given what selectors say of them, and further values at the first key.
        """
        kinds = TRIPLES if self.graph.pairs(selectors[0]) else ("select",)
        tests, seen = [], [[]] * (3 if kinds is TRIPLES else 2)
        for selector in selectors:
            tests.append(self.test(selector, *map(len, seen)))
            seen = [old + new for old, new in zip(seen, self.sides(selector, kinds))]
        one, together = len(seen[0]), any(LENGTH in self.axes(nodes) for nodes in seen)
        length = self.states.axis(LENGTH) if together else self.states.constant(0)
        seen[0] = [*seen[0], *extra]
        sides = [grouped(self.rows(nodes, length)) for nodes in seen]
        same = [[side.get(n, ()) for side in sides] for n in sides[0]]  # all are in one word
        count = sum(math.prod(map(len, rows)) for rows in same)
        spend(count * max(len(selectors), effort(range(one))))
        for row in (row for rows in same for row in product(*rows)):
            on = [test(*row) for test in tests]
            if FAIL not in on:
                check(on, row[0][one:])

    # what the plan says of aggregates and widths

    def alike(self, one, two):
        """Refuses if two s-ops differ on some state; it is no matter if both are none."""
        need((one is None) == (two is None), "linked nodes are of two kinds")
        rows = self.rows([one, two]) if one is not None else ()
        need(all(keyed(a) == keyed(b) for a, b in rows), "linked values differ")

    def must_agree(self, one, two):
        """Refuses if two selectors differ on some pair, or are `best` by different scores."""
        spend(300)
        (one, score), (two, other) = self.graph.inside(one), self.graph.inside(two)
        self.alike(score, other)
        self.all_pairs([one, two], lambda on, _: need(on[0] == on[1], "linked selectors differ"))
        return True

    def check_same(self, one, two):
        """Selectors, values and defaults of two aggregates or widths agree on all states."""
        (kind, *first), (other, *second) = self.nodes[one], self.nodes[two]
        need(kind == other, "linked nodes are of two kinds")
        need(keyed(tuple(first[2:])) == keyed(tuple(second[2:])), "linked defaults differ")
        if kind == "aggregate":
            self.alike(first[1], second[1])
        return self.must_agree(first[0], second[0])

    def size(self, node, selector):
        """A width that is at least the number of selected keys, and whether it is this number."""
        size = self.links["counts"].get(node)
        if size is not None and holds(self.check_count, selector, size):
            return size, True
        exact = self.graph.kind(selector) != "best" and self.positional(selector)
        return self.bound(selector), exact

    def check_count(self, selector, width):
        need(self.graph.kind(width) == "width", "a count that is no width")
        return self.must_agree(selector, self.nodes[width][1])

    def by_parts(self, node, selector, value, default):
        """A sum of widths, in each of which one value is selected.

        What no part selects has one value, too, and is counted by the number of all selected keys.
        """
        graph, states, parts, constants = self.graph, self.states, self.links["parts"][node], {}
        need(all(graph.kind(p) == "width" for p in parts), "parts are widths")
        averaged = graph.constant(1) if value is None else value
        uniform, (size, known) = self.is_uniform(averaged), self.size(node, selector)

        def check(on, key):
            hits = [k for k, hit in enumerate(on[1:]) if hit]
            need(len(hits) <= on[0], "the parts of a node do not add up")
            if on[0]:
                one = keyed(constants.setdefault((*hits, -1)[0], key[0]))
                need(uniform or one == keyed(key[0]), "a part of a node has several values")

        self.all_pairs([selector, *(self.nodes[p][1] for p in parts)], check, [averaged])
        rest, filled = -1 in constants, self.is_filled(selector)
        need(known or not rest, "the parts of a node do not add up")

        least = lambda n: 0 if rest else n if known else int(filled)
        tables = [self.value(size), *(self.value(p) for p in parts)]
        states.forbid(tables, lambda n, *counts: not least(n) <= sum(counts) <= n)
        bools = all(isinstance(v, bool) for v in self.value(averaged).entries)

        def result(given, n, *counts):
            counts = (*counts, n - sum(counts) if rest else 0)
            values = [given if uniform else constants.get(k, 0) for k in (*range(len(parts)), -1)]
            return sum(counts) if value is None else mean_of(zip(values, counts), default, bools)

        given = self.value(averaged) if uniform else states.constant(0)
        return states.combine([given, *tables], result)

    def is_uniform(self, node):
        """Whether an s-op is a short number that is the same at all positions of a word."""
        values, unit = self.value(node).entries, 1 << 20
        short = all(type(v) in (int, float) and abs(v) < unit for v in values)
        return short and self.axes([node]) <= {LENGTH} and all(v * unit % 1 == 0 for v in values)

    def limit(self, selector, other):
        """The number of keys at most, of which no two have one token.

        All selected keys have a zero in the width `other`; of two of one token it counts one.
        """
        need(self.graph.kind(other) == "width", "a limit by what is no width")
        (keys, queries), (firsts, seconds) = self.sides(selector), self.sides(self.nodes[other][1])
        token = self.states.axis(TOKEN, keyed)
        seen = [*keys, *firsts, *seconds, self.graph.indices]
        rows, asked = self.rows(seen, token, self.value(other)), self.rows(queries)
        test, one = self.test(selector), len(keys)
        counted = self.test(self.nodes[other][1], one, one + len(firsts))
        spend(len(rows) * len(asked) * effort(keys))
        on = [row for row in rows if any(test(row, q) is True for q in asked)]
        spend(len(on) ** 2 * effort(firsts))
        for a, b in product(on, on):
            never = True in (counted(a, b), counted(b, a)) and a[-1] == b[-1] == 0
            if a[-2] == b[-2] and a[-3] != b[-3] and not never:
                return self.longest
        return len({row[-2] for row in on})

    def by_positions(self, selector, value, default):
        """What no token changes: by trying all words of each length."""
        inner, score = self.graph.inside(selector)
        (keys, queries), place = self.sides(inner), self.graph.indices
        extra = [place if value is None else value, place if score is None else score]
        seen, asked = self.at_positions([*keys, *extra]), self.at_positions(queries)
        test, memo = self.test(inner), {}

        def result(i, n):
            if i >= n:
                return FAIL
            query = asked[i, n]
            if (query, n) not in memo:
                spend(n * effort(keys))
                on = [j for j in range(n) if test(seen[j, n], query) is True]
                if score is not None:
                    on = sorted(on, key=lambda j: (seen[j, n][-1], j))[-1:]
                bools = all(isinstance(seen[j, n][-2], bool) for j in range(n))
                mean = mean_of([(seen[j, n][-2], 1) for j in on], default, bools)
                memo[query, n] = len(on) if value is None else mean
            return memo[query, n]

        return self.states.combine([self.states.axis(PLACE), self.states.axis(LENGTH)], result)

    def selects_itself(self, selector):
        """Whether every query selects the key at its own position, and no other."""
        picked = self.by_positions(selector, self.graph.indices, -1)
        count = self.by_positions(selector, None, 0)
        itself = self.states.combine([picked, self.states.axis(PLACE)], operator.eq).entries
        return itself == [True] and count.entries == [1]

    # axes

    def as_axis(self, node, selector, value, default):
        """An axis with all values that it can have; some never stand beside other values."""
        states, sizes = self.states, self.sizes(node, selector, value, default)
        if self.is_filled(selector):
            sizes = {key: (v, counts) for key, (v, counts) in sizes.items() if counts != {0}}
        table = states.new_axis([v for v, _ in sizes.values()])
        if self.graph.pairs(selector):
            return table
        size, known = self.size(node, selector)
        bound = self.value(self.bound(selector))
        states.forbid([table, bound], lambda v, n: min(sizes[keyed(v)][1]) > n)
        if value is None:
            return table
        if known:
            states.forbid([table, self.value(size)], lambda v, n: n not in sizes[keyed(v)][1])
        if self.is_unique(node, selector, value):
            for one, other, v, d in self.picked:
                if one == selector or holds(self.must_agree, selector, one):  # they take one key
                    pairs = {keyed(row) for row in [*self.rows([value, v]), (default, d)]}
                    states.forbid([table, other], lambda *row, pairs=pairs: keyed(row) not in pairs)
            self.picked.append((selector, table, value, default))
        return table

    def bound(self, selector):
        """The width of what a selector says of positions alone: it selects no more keys."""
        graph, limit = self.graph, self.graph.full
        inner, _ = graph.inside(selector)
        for each in [*graph.split(inner, ("and",)), inner]:
            if self.positional(each):
                limit = graph.add("and", limit, each)
            elif self.is_empty(each):
                limit = graph.add("select", graph.constant(0), graph.constant(1), "==")
        return graph.add("width", limit)

    def is_empty(self, selector):
        """Whether a selector selects nothing, as far as that is quickly seen."""
        (keys, queries), test = map(self.rows, self.sides(selector)), self.test(selector)
        few = len(keys) * len(queries) < 200_000
        spend(few * len(keys) * len(queries) * effort(self.graph.split(selector)))
        return few and not any(test(k, q) is True for k, q in product(keys, queries))

    def sizes(self, node, selector, value, default):
        """The values that an aggregate or width can have, each with how many keys are selected."""
        unique, most = self.is_unique(node, selector, value), self.most(selector)
        need(most < CELLS, "too many pairs of keys")
        if value is None:
            return {keyed(c): (c, {c}) for c in range(most + 1) if c < 2 or not unique}
        values = [v for (v,) in self.rows([value])]
        texts = any(isinstance(v, str) for v in values)
        need(unique or not texts or node in self.fails_for_several, "a mean of texts")
        pairs, sizes = [(default, {0}), *((v, {1}) for v in values)], {}
        for v, counts in pairs if unique else pairs + self.means(values, most):
            sizes[keyed(v)] = v, sizes.get(keyed(v), (v, set()))[1] | counts
        return sizes

    def most(self, selector):
        """The number of keys, or of pairs of keys, that a query selects at most."""
        return self.longest ** (2 if self.graph.pairs(selector) else 1)

    def means(self, values, most):
        """All means of two or more numbers, with the counts of numbers that they are means of."""
        numbers = [v for v in values if not isinstance(v, str)]
        whole = not any(isinstance(v, float) for v in numbers)
        exact, sums, means = [v if whole else Fraction(v) for v in numbers], {0}, {}
        for count in range(1, most + 1):
            spend(len(sums) * len(exact) * 4)
            sums = {total + v for total in sums for v in exact}
            need(len(sums) * most <= 400_000, "too many means")
            for total in sums if count > 1 else ():
                mean = total / count if whole else float(total) / count
                means.setdefault(mean, set()).add(count)
        return list(means.items())

    def is_unique(self, node, selector, value):
        """Whether at most one key is selected, or the program fails."""
        if self.graph.kind(selector) == "best" or self.graph.pairs(selector):
            return self.graph.kind(selector) == "best"
        kinds = {int} if value is None else {type(v) for v in self.value(value).entries} - {tuple}
        if node in self.fails_for_several and (kinds <= {bool} or kinds <= {str}):
            return True
        few = max(self.value(self.bound(selector)).entries, default=0) < 2
        return few or any(self.picks_one(c) for c in self.graph.split(selector, ("and",)))

    def picks_one(self, selector):
        """Whether the keys of a selector differ at all positions, or are ranks."""
        kind, key, *rest = self.nodes[selector]
        if kind == "select" and rest[1] == "==" and self.is_rank(key):
            return True
        keys, queries = self.sides(selector)
        if not self.of_positions(keys):
            return False
        seen, test, size = self.at_positions(keys), self.test(selector), self.longest
        lengths = range(1, size + 1) if LENGTH in self.axes(keys) else (size,)
        for query, n in product(self.rows(queries), lengths):
            spend(n * effort(keys))
            if sum(test(seen[j, n], query) is True for j in range(n)) > 1:
                return False
        return True

    def is_rank(self, node):
        """Whether a width counts the keys before the query in a strict order of all positions.

        The plan names the s-ops that are compared in turn, with a sign; the last is the position.
        """
        order = self.links["orders"].get(node, ())
        if not order or order[-1] != (1, self.graph.indices):
            return False
        if node not in self.ranks:
            selector, compared = self.nodes[node][1], [n for _, n in order]
            keys, queries = self.sides(selector)
            rows, one = self.rows([*compared, *keys, *queries]), len(compared)
            test = self.test(selector, one, one + len(keys))
            spend(len(rows) ** 2 * effort([*order, *keys]))

            def before(a, b):
                signed = ((s, x, y) for (s, _), x, y in zip(order, a, b) if x != y)
                return next(((x < y) == (s > 0) for s, x, y in signed), False)

            pairs = ((a, b) for a, b in product(rows, rows) if a[one - 1] != b[one - 1] or a == b)
            self.ranks[node] = all(test(a, b) == before(a, b) for a, b in pairs)
        return self.ranks[node]

    def is_filled(self, selector):
        """Whether every query selects a key: itself, one at a position, or one of a rank."""
        selector, _ = self.graph.inside(selector)
        if selector not in self.filled:
            self.filled[selector] = not self.graph.pairs(selector) and self.finds_key(selector)
        return self.filled[selector]

    def finds_key(self, selector):
        kind, key, *rest = self.nodes[selector]
        size = self.states.axis(LENGTH)
        if kind == "select" and rest[1] == "==" and self.is_rank(key):
            rows = self.rows(rest[:1], size)
            return all(not isinstance(v, str) and v in range(n) for v, n in rows)
        keys, queries = self.sides(selector)
        test, named = self.test(selector, 0, len(keys)), self.of_positions(keys)
        seen = self.at_positions(keys) if named else {}
        for row in self.rows([*keys, *queries], size if named else self.states.constant(0)):
            spend(row[-1] * effort(keys))
            others = [seen[j, row[-1]] for j in range(row[-1])]
            if not any(test(key, row) is True for key in (row, *others)):
                return False
        return True


# ---- the model ----------------------------------------------------------------------------------

LINKS = ("same", "parts", "orders", "limits", "counts")


class Checker:
    """The model's numbers as tables of intervals, from the embedding to the answers."""

    def __init__(self, model, tensors):
        self.model, self.tensors, facts = model, tensors, model["facts"]
        sys.setrecursionlimit(8000)
        need(isinstance(facts.get("plan"), dict), "the file has no plan")
        self.plan, self.text = facts["plan"], facts["program"]
        self.promise, self.claims = facts.get("assumption"), {}
        self.causal, self.tokens, plan = facts["domain"]["causal"], model["vocabulary"], self.plan
        self.typed = self.exact = True  # answers have the right type; weights are 0 or equal
        shown = self.text + (self.promise or "")  # nothing in it changes how a terminal shows it
        need(all(c.isprintable() or c in "\n\t" for c in shown), "a text that cannot be shown")
        need(plan["version"] == 1 and self.causal in (True, False), "the version of the plan")
        need(list_of(self.tokens, *ATOMS), "tokens that are not checked")
        need(len(set(map(keyed, self.tokens))) == len(self.tokens) > 0, "a token stands twice")
        self.longest, most = plan["length"], min(LONGEST, model["max_length"] or LONGEST)
        need(type(self.longest) is int and 1 <= self.longest <= most, "the length of the plan")
        need(model["min_length"] == 1 and not model["prefix"], "a prefix, or a least length")
        norms = [b[n] for b in model["blocks"] for n in ("attention_norm", "mlp_norm")]
        need({*map(repr, norms), repr(model["readout"]["norm"])} == {"None"}, "norms")
        self.floats, self.graph = Floats(model["numbers"]), Graph()
        graph, self.program = self.graph, Parser(self.graph, self.text, self.causal)
        self.root = graph.constant(self.program.last)
        need(not graph.selects(self.root), "the program is a selector")
        states = {f"state_{graph.nodes[n][1]}": n for n in self.program.loop[0]}
        self.names = Parser(graph, plan["nodes"], False, states).names
        linked = lambda kind, b: self.linked(b, kind == "orders")
        self.links = {k: {self.node(a): linked(k, b) for a, b in plan[k].items()} for k in LINKS}

    def node(self, name):
        need(isinstance(self.names.get(name), Node), f"the plan names no node {name!r:.40}")
        return self.names[name]

    def linked(self, names, ordered):
        """The nodes of names; in an order with a sign, which is - where the greater are first."""
        if isinstance(names, str):
            return self.node(names)
        need(len(names) < 500, "a link to many nodes")
        signed = [(-1 if name[:1] == "-" else 1, self.node(name.lstrip("-"))) for name in names]
        return signed if ordered else [node for _, node in signed]

    def run(self):
        """Goes through the model; what cannot be proved is refused.

        A loop is proved by induction: some slots hold the codes of values, and all others what the
        embedding wrote. The blocks before the loop lead to this for the first values of states;
        from it, for any values, the blocks of the loop lead to it for those after a round, and the
        blocks after the loop to the answer.
        """
        program, count, loop = self.program, len(self.model["blocks"]), self.model.get("loop")
        need(len(self.plan["heads"]) == count, "the plan has other blocks")
        need((loop is None) == (program.rounds is None), "a loop in the program or the model alone")
        if loop is None:
            return self.decode(self.part([self.root], self.begun, 0, count))
        first, end, rounds = loop["first"], loop["end"], str(loop["rounds"])
        need(type(first) is type(end) is int and 0 <= first < end <= count, "the loop", 2)
        need(rounds.replace(" ", "") == program.rounds, "the loops have different rounds")
        self.claims = {self.node(n): self.claim(n, c) for n, c in self.plan["states"].items()}
        starts, nexts = ({n: v for n, v in x.items() if n in self.claims} for x in program.loop)
        between = lambda: self.coded({})
        self.leave(starts, self.part(starts.values(), self.begun, 0, first))
        self.leave(nexts, self.part(nexts.values(), between, first, end))
        return self.decode(self.part([self.root], between, end, count))

    def claim(self, name, claim):
        """A slot, all values of a node, and the function from these to their codes in the slot."""
        slot, values, codes = claim["slot"], claim["values"], claim["codes"]
        node = self.node(name)
        changes = any(self.graph.kind(n) == "state" for n in self.graph.below([node]))
        need(node in self.program.loop[0] or not changes, f"{name:.40} changes from round to round")
        need(list_of(values, *ATOMS) and list_of(codes, int, float), "the values of a state", 2)
        points = {keyed(v): (int(Fraction(c) * ONE),) * 2 for v, c in zip(values, codes)}

        def code(value):
            need(keyed(value) in points, f"{name:.40} may have a value that the plan does not list")
            return points[keyed(value)]

        need(type(slot) is int and 0 <= slot < len(self.model["names"]), "the slot of a state", 2)
        return slot, values, code

    def part(self, roots, begin, first, end):
        """The stream after some blocks, which compute what roots mean."""
        graph, program = self.graph, self.graph.below(roots)
        values = {node: values for node, (_, values, _) in self.claims.items()}
        self.states = States(self.tokens, self.longest)
        self.meaning = Meaning(graph, self.states, self.longest, program, self.links, values)
        for node in sorted(program):
            _ = graph.selects(node) or self.meaning.value(node)
        stream = begin()
        for number, block in list(enumerate(self.model["blocks"]))[first:end]:
            stream = self.block(stream, f"blocks.{number}", block, self.plan["heads"][number])
        return stream

    def begun(self):
        stream, mlp = self.embedding(), self.model["input_mlp"]
        return stream if mlp is None else self.mlp(stream, mlp, "input_mlp")

    def coded(self, after):
        """The stream between rounds; `after` has what nodes become."""
        stream = self.embedding()
        for node, (slot, _, code) in self.claims.items():
            value = self.meaning.value(after.get(node, node))
            stream[slot] = self.states.combine([value], code)
        return stream

    def leave(self, after, stream):
        """Refuses unless the stream is what the blocks that follow begin with."""
        for slot, (old, new) in enumerate(zip(self.coded(after), stream)):
            rows = self.states.combine([old, new]).entries
            inside = all(a <= c and d <= b for (a, b), (c, d) in rows)
            need(inside, f"slot {slot} is not what the loop begins with")

    def block(self, stream, name, block, names):
        """The stream after a block; the plan names what its heads compute."""
        spend(len(stream))
        terms = [[(1 << W, slot)] for slot in stream]
        need(not any(self.tensors[name + ".bias"]), "a bias beside heads")
        need(len(names) == len(block["heads"]), "the plan has other heads")
        for h, (head, some) in enumerate(zip(block["heads"], names)):
            nodes = [self.node(n) for n in some]
            self.write(terms, Head(self, stream, head, nodes, f"{name}.heads.{h}"))
        stream = [self.sum(some) if some[1:] else some[0][1] for some in terms]
        return stream if block["mlp"] is None else self.mlp(stream, block["mlp"], name + ".mlp")

    def write(self, terms, head):
        """What a head adds to each slot."""
        columns, output = head.columns(), self.tensors[head.name + ".output"]
        fits = len(output) == len(columns) and all(len(row) == len(terms) for row in output)
        need(fits, "the output of a head", 2)
        for row, column in zip(output, columns):
            for slot, w in enumerate(row):
                terms[slot] += [(w, column)] if w else []

    def sum(self, terms, bias=0):
        """The table of a sum of numbers times weights."""
        weights = [w for w, _ in terms]

        def number(*values):
            products = list(map(times, weights, values))
            return self.floats.total([(bias << S,) * 2, *products])

        return self.states.combine([table for _, table in terms], number)

    def embedding(self):
        """The stream at the start: rows of tokens, functions and rows of positions."""
        positions, width = self.model["positions"], len(self.model["names"])
        powers = [re.fullmatch(r"1|i(\^[1-9])?", name) for name in positions["functions"]]
        need(all(powers), "a function of positions that is not checked")
        degrees = [0 if p[0] == "1" else int(p[0][2:] or 1) for p in powers]
        exact = (self.longest - 1) ** max(degrees, default=0) < 1 << self.floats.digits
        need(exact, "a power of the position that is rounded")
        rows, weights = self.tensors["embedding"], self.tensors["positions.weight"]
        zeros = [[0] * width] * self.longest
        table = self.tensors["positions.table"] if positions["table"] else zeros
        fits = len(rows) == len(self.tokens) and len(weights) == len(degrees)
        fits = fits and all(len(row) == width for row in (*rows, *weights, *table))
        need(fits and len(table) >= self.longest, "the embedding or the positions", 2)
        numbers = {keyed(token): k for k, token in enumerate(self.tokens)}
        token = self.states.axis(TOKEN, lambda t: numbers[keyed(t)])

        def slot(c):
            def number(k, i):
                terms = [w[c] * i**d for w, d in zip(weights, degrees)]
                return self.floats.total([(t << S,) * 2 for t in (rows[k][c], table[i][c], *terms)])

            return self.states.combine([token, self.states.axis(PLACE)], number)

        return [slot(c) for c in range(width)]

    def affine(self, name, stream, outputs=None):
        """The tables of an affine map of the stream."""
        weights, bias = self.tensors[name + ".weight"], self.tensors[name + ".bias"]
        fits = len(weights) == len(stream) and len(bias) == (outputs or len(bias))
        need(fits and all(len(row) == len(bias) for row in weights), f"the shape of {name}", 2)
        used = [[(w, slot) for w, slot in zip(column, stream) if w] for column in zip(*weights)]
        return list(map(self.sum, used, bias))

    def mlp(self, stream, mlp, name):
        """The stream after ReLU stages; a slot that is taken from itself is exactly zero."""
        need(mlp["activation"] == "relu" and type(mlp["maps"]) is int, "only ReLU is checked")
        hidden, holds = stream, [(slot, 0) for slot in range(len(stream))]
        for k in range(mlp["maps"] - 1):
            stage = f"{name}.maps.{k}"
            relu = lambda x: (max(x[0], 0), max(x[1], 0))
            hidden = [self.states.combine([t], relu) for t in self.affine(stage, hidden)]
            columns = list(zip(*self.tensors[stage + ".weight"]))
            bias = self.tensors[stage + ".bias"]
            holds = [held(holds, column, b) for column, b in zip(columns, bias)]
        last = f"{name}.maps.{mlp['maps'] - 1}"
        written, result = self.affine(last, hidden, len(stream)), []
        columns, bias = list(zip(*self.tensors[last + ".weight"])), self.tensors[last + ".bias"]
        for c, (old, new) in enumerate(zip(stream, written)):
            taken = [(what, w) for what, w in zip(holds, columns[c]) if w]
            parts = [((c, -1), 1 << W), ((c, 1), -1 << W)]  # + relu(-x) and - relu(x)
            used = [min(x[0] for x in old.entries) < 0, max(x[1] for x in old.entries) > 0]
            cleared = all(part in taken or not needed for part, needed in zip(parts, used))
            only = all(t in parts for t in taken) and len(set(taken)) == len(taken)
            zero = cleared and only and not bias[c]
            added = [(1 << W, old), (1 << W, new)]
            result.append(self.states.constant((0, 0)) if zero else self.sum(added))
        return result

    def decode(self, stream):
        """The answer that is read from the last numbers must be the program's."""
        root, decoding, cases = self.meaning.value(self.root), self.model["decoding"], 0
        weights, bias = self.tensors["readout.map.weight"], self.tensors["readout.map.bias"]
        self.affine("readout.map", [self.states.constant((0, 0)) for _ in stream])  # for its shape
        used = [r for r, row in enumerate(weights) if any(row)]
        columns = list(zip(*[weights[r] for r in used], bias))
        need(decoding["kind"] in ("classes", "nearest", "fractions"), "answers are any number")
        right = getattr(self, decoding["kind"])(decoding, columns)
        for want, *numbers in self.states.combine([root, *(stream[r] for r in used)]).entries:
            if want is not FAIL:
                spend(len(bias) * (1 + len(used)))
                cases += 1
                need(right(want, [*numbers, (ONE, ONE)]), f"the answer {want!r:.40} may be another")
        need(cases, "the program has no value on any word")

    def row(self, want, values):
        """The number of an answer among those that can be decoded."""
        spend(len(values))
        near = lambda v: abs(v - want) <= 2.0**-40 * abs(v)
        text = isinstance(want, str)
        fits = [k for k, v in enumerate(values) if isinstance(v, str) == text]
        fits = [k for k in fits if values[k] == want or (not text and near(values[k]))]
        need(fits, f"the answer {want!r:.40} is not among the model's answers")
        k = max(fits, key=lambda k: (type(values[k]) is type(want), values[k] == want))
        self.typed = self.typed and type(values[k]) is type(want)
        return k

    def classes(self, decoding, columns):
        values = decoding["values"]
        need(list_of(values, *ATOMS) and len(values) == len(columns) > 0, "the answers", 2)

        def right(want, numbers):
            k, terms = self.row(want, values), [list(map(times, c, numbers)) for c in columns]
            own, errors = columns[k], [self.floats.error(each) for each in terms]
            leads = [sum(times(a - b, x)[0] for a, b, x in zip(own, c, numbers)) for c in columns]
            ahead = [lead > errors[k] + error for lead, error in zip(leads, errors)]
            return all(ahead[:k] + ahead[k + 1 :])

        return right

    def number(self, columns, numbers):
        """The one output."""
        return self.floats.total(list(map(times, columns[0], numbers)))

    def nearest(self, decoding, columns):
        values, codes = decoding["values"], decoding["codes"]
        need(list_of(values, *ATOMS) and list_of(codes, int, float), "the answers", 2)
        need(len(values) == len(codes) > 0 and len(columns) == 1, "the answers", 2)
        need(all(a < b for a, b in zip(codes, codes[1:])), "the codes do not increase", 2)
        points = [int(Fraction(c) * ONE) for c in codes]

        def right(want, numbers):
            k, (low, high) = self.row(want, values), self.number(columns, numbers)
            slack = (abs(low) + abs(high) + ONE) >> 45  # the middle is found in float64
            above = k == 0 or 2 * low > points[k - 1] + points[k] + slack
            return above and (k + 1 == len(points) or 2 * high < points[k] + points[k + 1] - slack)

        return right

    def fractions(self, decoding, columns):
        most, unit, whole = decoding["most"], decoding["unit"], decoding.get("whole", False)
        need(type(most) is int and 1 <= most <= 10**6 and len(columns) == 1, "the answers", 2)
        need(type(unit) in (int, float) and unit and whole in (True, False), "the answers", 2)
        near = Fraction(unit).limit_denominator(1_000_000)
        exact = near if float(near) == unit else Fraction(unit)

        def right(want, numbers):
            need(type(want) in (bool, int, float), "an answer that is no number")
            part = (Fraction(want) / exact).limit_denominator(most)
            self.row(want, [round(part * exact) if whole else float(part * exact)])
            low, high = self.number(columns, numbers)
            room = Fraction(ONE, 2 * most * part.denominator)
            return part * ONE - room < low and high < part * ONE + room

        return right


def held(holds, weights, bias):
    """(slot, sign) if a unit holds relu(sign * slot): it reads one thing once, without a bias."""
    used = [(what, w) for what, w in zip(holds, weights) if w]
    if bias or len(used) != 1 or used[0][0] is None or abs(used[0][1]) != 1 << W:
        return None
    (slot, sign), w = used[0]
    if sign == 0:
        return slot, 1 if w > 0 else -1
    return (slot, sign) if w > 0 else None


class Head:
    """A head that is said to compute aggregates over one selector, or one width.

    It is a softmax over keys; or, of third order, over pairs of keys.
    """

    def __init__(self, checker, stream, head, nodes, name):
        self.checker, self.meaning, self.states = checker, checker.meaning, checker.states
        self.floats, self.nodes, self.name, self.stream = checker.floats, nodes, name, stream
        graph, scale = checker.graph, head["scale"]
        need(len({graph.nodes[n][:2] for n in nodes}) == 1, f"{name} follows several selectors")
        kind, self.selector, *value = graph.nodes[nodes[0]]
        need(kind in ("aggregate", "width"), f"{name} is said to compute no aggregate")
        self.inner, self.best = graph.inside(self.selector)
        self.pairs, self.most = graph.pairs(self.inner), self.meaning.most(self.inner)
        fits = head["kind"] == "tensor" if self.pairs else head["kind"] == "head"
        need(fits and (self.pairs or head["attention"] == "softmax"), "a head of another kind")
        need(scale in [2**k for k in range(40)], "a scale that is no power of two")
        self.scale, self.sees, self.spread = int(scale), OPS.get(MASKS[head["mask"]]), 0
        self.sink = self.sink_values = None
        if head["sink"]:
            self.sink = [self.sink_part(part) for part in self.each("key")]
            self.sink_values, *ones = [self.sink_part(part) for part in self.each("value")]
            need(all(x == (ONE, ONE) for other in ones for x in other), "a second value")
        parts = () if self.pairs else graph.split(self.inner, ("and",))
        self.alone = any(self.meaning.picks_one(part) for part in parts)
        self.counts, self.filled = kind == "width", self.meaning.is_filled(self.selector)
        unique = self.meaning.is_unique(nodes[0], self.selector, *value[:1] or [None])
        self.single = unique and not self.counts
        need(self.sink is not None or (self.filled and not self.counts), f"{name} has no sink")

    def each(self, part):
        """The names of the parts of a head that read keys."""
        return [part + "1", part + "2"] if self.pairs else [part]

    def sink_part(self, part):
        return [(k << (S - W),) * 2 for k in self.checker.tensors[f"{self.name}.sink.{part}"]]

    def columns(self):
        """What each output column holds."""
        self.check_scores()
        columns, *ones = [
            self.checker.affine(f"{self.name}.{part}", self.stream, len(self.nodes))
            for part in self.each("value")
        ]
        need(all(x == (ONE, ONE) for c in ones for t in c for x in t.entries), "a second value")
        sinks = columns if self.sink is None else self.sink_values
        need(len(sinks) == len(columns), "the sink of a head", 2)
        one = self.counted if self.counts else self.taken if self.single else self.averaged
        return [one(*each) for each in zip(self.nodes, columns, sinks)]

    def sides(self):
        """For both keys or the key, and for the query: what selectors see of it, by its vector."""
        meaning, place = self.meaning, [self.checker.graph.indices]
        seen = meaning.sides(self.inner, TRIPLES if self.pairs else ("select",))
        *keys, queries = [[*nodes, *place * (self.sees is not None)] for nodes in seen]
        keys[0] += [] if self.best is None else [self.best, *place]
        names = [f"{self.name}.{part}" for part in (*self.each("key"), "query")]
        vectors = [self.checker.affine(name, self.stream) for name in names]
        need(len({*map(len, [*vectors, *(self.sink or ())])}) == 1, "the shape of a head", 2)
        tables = map(self.states.combine, vectors)
        return [grouped(meaning.rows(*each)) for each in zip([*keys, queries], tables)]

    def check_scores(self):
        """Selected keys have one score, and all others one that is lower by the gap."""
        test, sees, (*keys, queries) = self.meaning.test(self.inner), self.sees, self.sides()
        leaves = self.checker.graph.split(self.inner)
        at, cost, views = len(leaves), effort(leaves), []
        spend(math.prod(sum(map(len, side.values())) for side in keys))
        for some in product(*(side.items() for side in keys)):
            vectors, rows = zip(*some)
            views.append((vectors, list(product(*rows))))
        for query, asked in queries.items():
            scores = [(self.score(query, *vectors), seen) for vectors, seen in views]
            for row in asked:
                on, off = [], []
                for score, seen in scores:
                    spend(len(seen) * cost)
                    for view in seen:
                        hit = test(*view, row) is True
                        hidden = sees is not None and not all(sees(v[at], row[at]) for v in view)
                        need(not (hit and hidden), f"{self.name}: the mask hides a selected key")
                        if hit:
                            on.append((view[0][-2:] if self.best is not None else (), score))
                        elif not hidden:
                            off.append(score[1])
                self.check_query(on, max(off, default=None), query)

    def score(self, query, *keys):
        """The score of a key; or of a pair, in whatever order three numbers are multiplied."""
        spend(len(query) * len(keys))
        sides = [[times(self.scale, q) for q in query], *keys]
        if len(keys) == 1:
            return self.floats.total(list(map(product_of, *sides)))
        rounded = lambda a, b, c: product_of(self.floats.total([product_of(a, b)]), c)
        terms = [
            hull(rounded(*x), rounded(*x[1:], x[0]), rounded(x[2], *x[:2])) for x in zip(*sides)
        ]
        return self.floats.total(terms)

    def check_query(self, on, off, query):
        """One query: selected keys, the greatest score of all others, and the sink."""
        name, gap, low = self.name, self.floats.gap * ONE, min((s[0] for _, s in on), default=None)
        if self.best is not None and not self.alone:
            highest = before = group = None
            for place, score in sorted(on):
                group, before = (place, highest) if place != group else (group, before)
                need(before is None or score[0] - before >= gap, f"{name}: best is not highest")
                highest = score[1] if highest is None else max(highest, score[1])
        if self.sink is not None:
            sink = self.score(query, *self.sink)
            if self.counts:
                on, low = [*on, ((), sink)], sink[0] if low is None else min(low, sink[0])
            else:
                need(low is None or low - sink[1] >= gap, f"{name}: a key is not above the sink")
                lost = not self.filled and off is not None and sink[0] - off < gap
                need(not lost, f"{name}: the sink is too low")
        if on and self.best is None and not self.single:
            spread = max(score[1] for _, score in on) - low
            need(spread <= ONE >> 3, f"{name}: scores of selected keys differ")
            self.spread = max(self.spread, spread)
        need(low is None or off is None or low - off >= gap, f"{name}: the gap is too small")

    def wobble(self, size):
        """How far a mean of numbers of a size moves where scores of selected keys differ."""
        if not self.spread:
            return 0
        self.checker.exact = False
        off = self.spread + (8 * ONE >> self.floats.digits)
        return 2 * off * size // (ONE - off) + 6 * self.floats.gamma(self.most + 4, size)

    def counted(self, node, column, sink):
        """c / (k + 1) for k keys: with weights 1 the sum is exact, and two operations round."""
        need(column.entries == [(0, 0)], f"{self.name}: a value of a count is not zero")
        need(sink[0] == sink[1] and self.most + 2 < 1 << self.floats.digits, "a count")

        def share(count):
            if count is FAIL or count == 0:
                return sink
            error = 3 * abs(sink[0]) // ((count + 1) << self.floats.digits) + 3
            error += self.wobble(abs(sink[0]))
            return sink[0] // (count + 1) - error, -(-sink[0] // (count + 1)) + error

        return self.states.combine([self.meaning.value(node)], share)

    def by_value(self, node, column):
        boxes = {}
        for v, box in self.meaning.rows(self.meaning.nodes[node][2:3], column):
            boxes[keyed(v)] = hull(box, boxes.get(keyed(v), box))
        return boxes

    def taken(self, node, column, sink):
        """The value of the one selected key, exactly; or that of the sink."""
        boxes, default = self.by_value(node, column), self.meaning.nodes[node][3]
        whole = hull(*boxes.values(), *([] if self.filled else [sink]))

        def taken(v):
            some = [boxes[keyed(v)]] if keyed(v) in boxes else []
            some += [sink] if not self.filled and keyed(v) == keyed(default) else []
            return hull(*some) if some else whole

        return self.states.combine([self.meaning.value(node)], taken)

    def averaged(self, node, column, sink):
        """The mean, up to how far the column is from the value, and gamma(N + 3) of its size."""
        boxes, default = self.by_value(node, column), self.meaning.nodes[node][3]
        need(not any(kind is str for kind, _ in boxes), f"{self.name}: a mean of texts")
        exact = [(box, round(Fraction(v) * ONE)) for (_, v), box in boxes.items()]
        low, high = min(box[0] - at for box, at in exact), max(box[1] - at for box, at in exact)
        ends, terms = [end for box, _ in exact for end in box], self.most + 3
        most, sign = max(map(abs, ends)), 1 if min(ends) >= 0 else -(max(ends) <= 0)
        need(most * terms < self.floats.top >> W, "a mean may overflow")

        def mean(v):
            if v is FAIL:
                return 0, 0
            at = round(Fraction(v) * ONE)
            slack = (abs(at) >> 52) + 1  # the program's own mean is rounded
            size = max(abs(at + low), abs(at + high)) + slack if sign else most
            slack += self.floats.gamma(terms, size) + 2 * terms + 2 + self.wobble(size)
            box = at + low - slack, at + high + slack
            if sign and sign * at >= 0:  # rounding keeps a sign that all have
                box = tuple(sign * max(sign * end, 0) for end in box)
            return hull(box, sink) if not self.filled and v == default else box

        return self.states.combine([self.meaning.value(node)], mean)


# ---- the theorem --------------------------------------------------------------------------------

PROMISE = """
P was made from another program, for words on which this is true at all positions:

{}
"""

THEOREM = """PROVED. Let P be this program{causal}:

{text}
{promise}
For every word of 1 to {longest} tokens out of {tokens} on which P has a value{loop},
the answer of the model at each position is that of P, {types}, in {system}.
Assumptions: (1) sums, products and quotients are rounded to nearest, in any order, fused or not,
with or without denormal numbers; (2) softmax subtracts the greatest score, exp(0) = 1, and
exp(x) = 0 for x <= -{gap}{exp}; (3) the model is computed as the format of the file says;
(4) floats that differ by less than 2^-40 of their size count as equal answers."""


def theorem(checker):
    """What was proved, in words."""
    indented = lambda text: "\n".join(f"    {line}" for line in text.rstrip().split("\n"))
    shown = [json.dumps(t, ensure_ascii=not str(t).isprintable()) for t in checker.tokens]
    return THEOREM.format(
        loop=", and each state in each round of its loop" * (checker.program.rounds is not None),
        causal=", with later positions hidden from every selector" * checker.causal,
        text=indented(checker.text),
        promise=PROMISE.format(indented(checker.promise)) if checker.promise else "",
        longest=checker.longest,
        tokens=", ".join(shown),
        types="in value and type" if checker.typed else "in value, but not always in type",
        system=checker.model["numbers"],
        gap=checker.floats.gap,
        exp="" if checker.exact else ", and is within 4 units in the last place for x > -1",
    )


def main(arguments):
    """Checks a file, prints what was found, and gives the exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    code = 2
    try:
        need(len(arguments) == 1, "usage: python -S capax_check.py MODEL.safetensors", 2)
        model, tensors = read_file(arguments[0])
        code = 1
        checker = Checker(model, tensors)
        checker.run()
    except Refused as reason:
        why, code = reason.args
    except DAMAGE as reason:
        why = f"the file is damaged ({type(reason).__name__}: {reason})"
    except LIMITS as reason:
        why = f"the file cannot be read, or is too large ({type(reason).__name__}: {reason})"
    else:
        print(theorem(checker))
        return 0
    print(f"{'NOT PROVED' if code == 1 else 'BAD FILE'}: {why}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
