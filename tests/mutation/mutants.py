"""The mutants of a module: small changes to its source, made by the operators of cosmic-ray.

What is left out, because it says nothing about the code or flatters the score:
- annotations, imports, options of dataclasses, texts of messages (f-strings);
- `assert` and `strict=True` of `zip`, which mark our own bugs and are never to be reached;
- the `*` between parameters, which is no product;
- an operator in place of one of another kind (`a << b` for `a * b`), which fails at once with a TypeError, and `is` for
  `==`; the kinds are arithmetic, bits, order, identity.
"""

import ast
import difflib
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

KINDS = (
    {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"BitOr", "BitAnd", "BitXor", "LShift", "RShift"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"USub", "UAdd", "Delete", "Invert"},
    {"Delete", "Not"},
)
UNUSED = {"VariableReplacer", "VariableInserter"}  # they want a variable to be named

Position = tuple[int, int]
Span = tuple[Position, Position]


@dataclass(frozen=True, slots=True)
class Site:
    """Where an operator of cosmic-ray can change a source."""

    span: Span
    operator: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module. `line` and `becomes` are the changed lines without their indentation."""

    module: str
    function: str
    number: int
    line: str
    becomes: str
    source: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same when lines are added above."""
        return self.module, self.function, self.line, self.becomes

    def __str__(self) -> str:
        return (
            f"{self.module}:{self.number} in {self.function or 'the module'}\n    - {self.line}\n    + {self.becomes}"
        )


def sample(module: str, source: str, count: int, seed: int) -> list[Mutant]:
    """Mutants of `count` places of a source, one for each, drawn with a seed; of all places if there are no more."""
    places: dict[Span, list[Site]] = defaultdict(list)
    for site in sites(source):
        places[site.span].append(site)
    draw = random.Random(f"{seed} {module}")
    order = sorted(places)
    draw.shuffle(order)
    found: list[Mutant] = []
    for span in order:
        if len(found) == count:
            break
        choices = places[span]
        draw.shuffle(choices)
        made = next((m for site in choices if (m := make(module, source, site)) is not None), None)
        if made is not None:
            found.append(made)
    return sorted(found, key=lambda m: (m.number, m.becomes))


def on_lines(module: str, source: str, line: str) -> Iterator[Mutant]:
    """All mutants that change a line with a text, each made when it is asked for, since that parses the source."""
    numbers = {n for n, text in enumerate(source.splitlines(), 1) if _plain(text) == line}
    chosen = [site for site in sites(source) if site.span[0][0] in numbers]
    return (m for site in chosen if (m := make(module, source, site)) is not None)


@lru_cache(maxsize=8)
def sites(source: str) -> tuple[Site, ...]:
    """Where the operators can change a source, but for what is left out."""
    found: list[Site] = []
    nodes = list(ast_nodes(get_ast(source)))
    left_out = list(_left_out(ast.parse(source)))
    for name in operator_names():
        if not _is_used(name.split("/")[1]):
            continue
        operator, occurrence = get_operator(name)(), -1
        for node in nodes:
            for start, end in operator.mutation_positions(node):
                occurrence += 1
                if not any(a <= start < b for a, b in left_out):
                    found.append(Site((start, end), name, occurrence))
    return tuple(found)


def make(module: str, source: str, site: Site) -> Mutant | None:
    """The mutant of a site, or None if it is no Python, means the same to the compiler, or is no operator."""
    (number, column), _ = site.span
    if source.splitlines()[number - 1][column : column + 2] == "*,":  # between parameters
        return None
    changed = mutate_code(source, get_operator(site.operator)(), site.occurrence)
    if changed is None:
        return None
    try:
        if compile(changed, module, "exec") == compile(source, module, "exec"):
            return None
    except (SyntaxError, ValueError):
        return None
    before, after = source.splitlines(), changed.splitlines()
    edits = [e for e in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if e[0] != "equal"]
    _, a, b, c, d = edits[0]
    return Mutant(module, function_at(source, a + 1), a + 1, _plain(*before[a:b]), _plain(*after[c:d]), changed)


def function_at(source: str, number: int) -> str:
    """The qualified name of the outermost function around a line; empty where there is none."""

    def search(body: list[ast.stmt], prefix: str) -> str:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= number <= (node.end_lineno or 0):
                name = f"{prefix}{node.name}"
                return name if isinstance(node, ast.FunctionDef) else search(node.body, f"{name}.")
        return ""

    return search(ast.parse(source).body, "")


def _plain(*lines: str) -> str:
    return " ".join(" ".join(lines).split())


def _is_used(name: str) -> bool:
    kind, *pair = name.split("_")
    return kind not in UNUSED and (len(pair) < 2 or any(set(pair) <= k for k in KINDS))


def _left_out(tree: ast.Module) -> Iterator[Span]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as inner) | ast.AnnAssign(annotation=inner):
                yield _span(inner)
            case ast.FunctionDef(returns=ast.expr() as inner):
                yield _span(inner)
            case ast.keyword(arg="strict") | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
                yield _span(node)
            case ast.ClassDef():
                yield from (_span(d, wider=1) for d in node.decorator_list)
            case _:
                pass


def _span(node: ast.expr | ast.stmt | ast.keyword, wider: int = 0) -> Span:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset - wider), (node.end_lineno, node.end_col_offset + wider)
