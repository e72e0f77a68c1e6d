"""One file of source code from several of the folder `standalone`: what an export carries with it."""

import ast
from importlib.resources import files

from capax.model.export import standalone


def assemble(*names: str, about: str) -> str:
    """The source of the modules one after the other, under one docstring and one list of imports.

    Imports from each other are left out, as all is in one file now.
    """
    sources = [files(standalone).joinpath(f"{name}.py").read_text(encoding="utf-8") for name in names]
    imports: list[str] = []
    bodies = []
    for source in sources:
        lines, tree = source.splitlines(), ast.parse(source)
        body = tree.body[1:]  # after the docstring
        first = next(i for i, node in enumerate(body) if not isinstance(node, ast.Import | ast.ImportFrom))
        for node in body[:first]:
            text = ast.unparse(node)
            if not text.startswith("from capax."):
                imports.append(text)
        bodies.append("\n".join(lines[body[first - 1].end_lineno or 0 :]).strip())
    ours = {line for line in imports if line.split()[1].split(".")[0] not in THEIRS}
    blocks = [_listed(ours), _listed(set(imports) - ours)]
    head = "\n\n".join(block for block in blocks if block)
    return f'"""{about}"""\n\n{head}\n\n\n' + "\n\n\n".join(bodies) + "\n"


THEIRS = ("torch", "numpy", "onnxruntime", "safetensors", "transformer_lens")
"""What is not of Python's own library stands in a list of its own."""


def _listed(imports: set[str]) -> str:
    """Imports in order: `import x` first; names of one module together."""
    whole = sorted(line for line in imports if line.startswith("import "))
    parts: dict[str, set[str]] = {}
    for line in imports - set(whole):
        module, _, names = line.removeprefix("from ").partition(" import ")
        parts.setdefault(module, set()).update(names.split(", "))
    joined = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(parts.items())]
    return "\n".join([*whole, *joined])
