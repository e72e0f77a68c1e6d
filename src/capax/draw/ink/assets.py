"""Style sheets and scripts: files in the folder `static` of a package, read once."""

from functools import cache
from importlib.resources import files
from string import Template


@cache
def asset(name: str, package: str = "capax.draw.ink") -> str:
    """The text of a static file."""
    return files(package).joinpath("static", name).read_text(encoding="utf-8")


def one_line(name: str, **values: str) -> str:
    """A style sheet of one rule a line, without the line ends; `$name` in it stands for a value."""
    return Template(asset(name)).substitute(values).replace("\n", "")


def scoped(name: str, scope: str, **values: str) -> str:
    """A style sheet of one rule a line whose selectors hold below `scope` alone."""
    rules = [line.split("{") for line in Template(asset(name)).substitute(values).splitlines()]
    return "".join(f"{','.join(f'{scope} {part}' for part in where.split(','))}{{{body}" for where, body in rules)
