"""The playground as static files, or as one HTML file that opens by a double click.

Python comes as Pyodide, and compiled models run in onnxruntime-web: npm packages, fetched once and checked by their
digests. One file has no room for onnxruntime-web, and brings the models' answers on one input each instead.
"""

import base64
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from capax.app.site.answers import MACHINES, answers
from capax.app.site.npm_packages import CLASSIC, ONNXRUNTIME, PYODIDE, RUNTIME, unpacked
from capax.app.site.page_jobs import JOBS, LIMITS
from capax.app.site.pure_part import STATIC, archive
from capax.app.site.shelf import shelf
from capax.app.web import page_files
from capax.app.web.jobs.catalogue import explore, start
from capax.display import parts
from capax.errors import CapaxError
from capax.model.io.atomic import folder_beside, unwritable, write_bytes

MARK: Final = "capax-site.json"
"""Every site has this file; only a folder that has it is ever replaced."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site that was written: where, its files with their sizes, and the versions of what it brings."""

    path: str
    single_file: bool
    files: tuple[tuple[str, int], ...]
    pyodide: str = PYODIDE.version
    onnxruntime: str | None = ONNXRUNTIME.version

    @property
    def size(self) -> int:
        """The bytes in all."""
        return sum(size for _, size in self.files)

    def to_json(self) -> dict[str, Any]:
        """The site as plain data."""
        return parts(self, "path", "single_file", "pyodide", "onnxruntime", "size") | {"files": dict(self.files)}

    def render(self) -> str:
        """Where it is, how large it is, and how to open it."""
        how = (
            f"open it by a double click: {self.path}"
            if self.single_file
            else f"put it on any web space, or try it here: python -m http.server --directory {self.path}"
        )
        lines = [f"  {size:>12,}  {name}" for name, size in self.files]
        return "\n".join([f"a playground without a server, {self.size:,} bytes", *lines, how])


def write_site(
    output: str,
    *,
    single_file: bool = False,
    pyodide: str | None = None,
    onnxruntime: str | None = None,
    force: bool = False,
) -> Site:
    """Writes the playground to a folder, or to one file; `pyodide` and `onnxruntime` are npm packages at hand."""
    path = Path(output)
    if single_file and path.suffix.lower() not in (".html", ".htm"):
        raise CapaxError("bad-option", f"a single file ends with .html, not {output}", hint="-o capax.html")
    if not single_file:
        _refuse_taken(path, output, force)
    runtime = unpacked(PYODIDE, pyodide)
    if single_file:
        page = _inlined(runtime).encode()
        write_bytes(path, page)
        return Site(output, True, ((path.name, len(page)),), onnxruntime=None)
    files = _pages() | {name: runtime[name] for name in RUNTIME} | {"capax.zip": archive()}
    files |= {f"onnxruntime/{name}": data for name, data in unpacked(ONNXRUNTIME, onnxruntime).items()}
    files |= {one.file: one.graph for one in shelf()}
    files[MARK] = (json.dumps({"pyodide": PYODIDE.version, "onnxruntime": ONNXRUNTIME.version}) + "\n").encode()
    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        with folder_beside(path.resolve()) as folder:
            for name, data in files.items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(data)
    except OSError as error:
        raise unwritable(output, error) from None
    return Site(output, False, tuple((name, len(data)) for name, data in sorted(files.items())))


def _refuse_taken(path: Path, output: str, force: bool) -> None:
    """Refuses a folder with anything in it but a site that may be replaced."""
    ours = (path / MARK).is_file()
    taken = path.exists() and (not path.is_dir() or any(path.iterdir()))
    if taken and not (force and ours):
        hint = "name another folder" + (", or replace this site with --force" if ours else "")
        raise CapaxError("bad-option", f"{output} is a file, or a folder that is not empty", hint=hint)


def _pages() -> dict[str, bytes]:
    """The page itself: its text, styles, scripts, fonts, and what was computed beforehand."""
    page = page_files.index("site").replace("</head>", '<script type="module" src="files/site.js"></script>\n</head>')
    files = {f"files/{name}": data for name, data in page_files.files().items()}
    return files | {
        "index.html": page.encode(),
        "files/site.js": b"\n".join((STATIC / name).read_bytes() for name in ("shelf.js", "site.js")),
        "data.json": _data(),
        "shelf.json": _json([one.to_json() for one in shelf()]),
    }


def _data() -> bytes:
    """The lists of the pages, and the answers that need numpy."""
    explored = explore() | {"calculated": LIMITS}
    explored["machines"] = [one for one in explored["machines"] if one["name"] in MACHINES]
    catalogue = {"start": start(), "explore": explored}
    return _json({"catalogue": catalogue, "answers": answers(), "here": list(JOBS)})


def _json(data: Any) -> bytes:
    return json.dumps(data, default=str, separators=(",", ":"), ensure_ascii=False).encode()


def _inlined(runtime: dict[str, bytes]) -> str:
    """The whole site as one page, whose files are inside it, compressed."""
    pages = _pages()
    held = {name: runtime[name] for name in RUNTIME if name != "pyodide.mjs"}
    held |= {"capax.zip": archive()} | {name: data for name, data in pages.items() if name.endswith(".json")}
    rows = [
        f'<script type="application/octet-stream" data-name="{name}">'
        f"{base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()}</script>"
        for name, data in held.items()
    ]
    style = pages["files/app.css"].decode()
    for name in (name for name in pages if name.endswith(".woff2")):
        font = f"data:font/woff2;base64,{base64.b64encode(pages[name]).decode()}"
        style = style.replace(f"url({name.removeprefix('files/')})", f"url({font})")
    scripts = [
        *rows,
        f"<script>{_closed(runtime[CLASSIC])}</script>",
        f"<script>{_closed(pages['files/app.js'])}</script>",
        f'<script type="module">{(STATIC / "boot.js").read_text("utf-8")}\n{_closed(pages["files/site.js"])}</script>',
    ]
    page = pages["index.html"].decode()
    page = page.replace('<link rel="stylesheet" href="files/app.css">', f"<style>{style}</style>")
    page = page.replace('<script src="files/app.js" defer></script>', "")
    page = page.replace('<script type="module" src="files/site.js"></script>', "")
    licences = [f"<!-- {data.decode()} -->" for name, data in pages.items() if name.endswith("licence.txt")]
    return page.replace("</body>", "\n".join([*scripts, *licences, "</body>"]))


def _closed(script: bytes) -> str:
    """A script as an element can hold it."""
    return script.decode().replace("</script", "<\\/script")
