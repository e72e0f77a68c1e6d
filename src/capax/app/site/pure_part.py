"""The part of capax that runs in a browser: what the editor's jobs load where little else can be imported.

Which files these are is found by doing it: a process in which other packages cannot be imported runs the jobs on every
puzzle and every example, and says which files it has loaded.
"""

import io
import json
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import lark

from capax.errors import CapaxError

STATIC: Final = Path(__file__).parent / "static"
ROOT: Final = Path(__file__).parents[2]
DATA: Final = (".rasp", ".lark", ".toml", ".json", ".bib", ".css", ".js")
"""The endings of files that the code reads beside itself."""
ROOMS: Final = ("rasp", "draw", "notation", "app/web", "atlas", "limits")
"""Where such files are."""
LOADED: Final = """
import sys, types
allowed = {"capax", "lark", "segno", "typer"}
class Nothing:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top not in allowed and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
stand_in = types.ModuleType("typer")
exec(sys.stdin.read(), stand_in.__dict__)
sys.modules["typer"] = sys.modules["typer.core"] = stand_in
from capax.app.site import page_jobs
page_jobs.exercise()
files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
import json
print(json.dumps(sorted(file for file in files if file)))
"""


def archive() -> bytes:
    """The files as a zip archive, to be put on Python's path."""
    homes = {"capax": ROOT, "lark": Path(lark.__file__).parent, "segno": _segno()}
    files = {
        f"{name}/{path.relative_to(home).as_posix()}": path
        for path in map(Path, _loaded())
        for name, home in homes.items()
        if path.is_relative_to(home)
    }
    files |= {f"capax/limits/{path.name}": path for path in (ROOT / "limits").glob("*.py")}  # found by its file
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.suffix in DATA:
                files[f"capax/{path.relative_to(ROOT).as_posix()}"] = path
    files |= dict.fromkeys(("typer/__init__.py", "typer/core.py"), STATIC / "typer_names.py.txt")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, path in sorted(files.items()):
            target.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _segno() -> Path:
    """Where the package is that makes QR codes."""
    spec = find_spec("segno")
    if spec is None or spec.origin is None:
        raise CapaxError("missing-extra", "a site needs the extra `web`: segno", hint="pip install 'capax[web]'")
    return Path(spec.origin).parent


def _loaded() -> list[str]:
    """The files that the jobs load."""
    names = (STATIC / "typer_names.py.txt").read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", LOADED], input=names, capture_output=True, encoding="utf-8")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise CapaxError("bad-option", f"the page's part of capax does not run by itself: {' '.join(last)}")
    files: list[str] = json.loads(done.stdout)
    return files
