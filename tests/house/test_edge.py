"""Nothing below `app/` reads the clock, the environment, the arguments, the network, or opens files.

One module may: `model/io/atomic.py` writes files, which `Model.save` needs.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import SRC, imports_of, parse, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

# A name stands for itself and for everything in it.
OUTSIDE = (
    *("time", "timeit", "sched"),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"),
    *("os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.getcwd", "os.urandom"),
    *("pathlib.Path.cwd", "pathlib.Path.home", "getpass", "platform", "secrets"),
    *("sys.argv", "sys.stdin", "argparse", "optparse", "getopt", "input"),
    *(
        "socket",
        "socketserver",
        "ssl",
        "http",
        "urllib.request",
        "requests",
        "httpx",
        "aiohttp",
        "webbrowser",
    ),
    *("open", "io.open", "os.open", "builtins.open", "subprocess", "os.system", "os.popen"),
)


EDGE = ("app", "model/io/atomic.py")
"""What may reach outside."""


def aliases(tree: ast.Module) -> dict[str, str]:
    """What each imported name of a module stands for, in full."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return known


def uses(path: Path, src: Path) -> Iterator[tuple[int, str]]:
    """The line and full name of everything that a file imports, calls or takes an attribute of."""
    tree = parse(path)
    known = aliases(tree)
    yield from ((item.line, item.target) for item in imports_of(path, src))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, known.get(node.func.id, node.func.id)
        elif isinstance(node, ast.Attribute):
            names, inner = [node.attr], node.value
            while isinstance(inner, ast.Attribute):
                names, inner = [inner.attr, *names], inner.value
            if isinstance(inner, ast.Name) and inner.id in known:
                yield node.lineno, ".".join([known[inner.id], *names])


def breaches(src: Path) -> list[str]:
    """Each line below the edge that reaches outside, with what it reaches for."""
    package = src / "capax"
    inside = [path for path in python_files(package) if not any(path.is_relative_to(package / edge) for edge in EDGE)]
    return sorted(
        {
            f"{path}:{line}: {name}"
            for path in inside
            for line, use in uses(path, src)
            for name in OUTSIDE
            if use == name or use.startswith(f"{name}.")
        }
    )


def test_only_the_edge_reaches_outside() -> None:
    """The package keeps the rule, and has rooms below the edge to look at."""
    assert (SRC / "capax" / "rasp").is_dir()
    assert breaches(SRC) == []


@pytest.mark.parametrize(
    "text",
    [
        "import time",
        "from datetime import datetime\nnow = datetime.now()",
        "import datetime as d\nnow = d.date.today()",
        "import os\nhome = os.environ['HOME']",
        "import os as o\nhome = o.getenv('HOME')",
        "from os import environ",
        "import sys\nname = sys.argv[0]",
        "text = open('x').read()",
        "from urllib.request import urlopen",
        "from pathlib import Path\nhere = Path.cwd()",
        "def f():\n    import socket",
    ],
)
def test_a_breach_is_seen(tmp_path: Path, text: str) -> None:
    """Each way of reaching outside is found below `app/` and left alone inside it."""
    for room in ("rasp", "app"):
        path = tmp_path / "capax" / room / "one.py"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    found = breaches(tmp_path)
    assert found
    assert all("rasp" in Path(line.split(":")[0]).parts for line in found)


def test_innocent_names_are_left_alone(tmp_path: Path) -> None:
    """A variable called `time`, `sys.setrecursionlimit` and `urllib.parse` reach for nothing outside."""
    path = tmp_path / "capax" / "rasp" / "one.py"
    path.parent.mkdir(parents=True)
    path.write_text("import sys, urllib.parse\nfrom .x import time\ntime.open(sys.maxsize)\nlexer.input.open()\n")
    assert breaches(tmp_path) == []
