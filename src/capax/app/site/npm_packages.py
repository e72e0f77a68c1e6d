"""The npm packages that a site brings along: fetched once, kept in the user's cache, and checked by their digests."""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from capax.errors import CapaxError
from capax.model.io.atomic import write_bytes


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package in one version: its name, the SHA-256 of its archive, the folder and the names of the files wanted."""

    name: str
    title: str
    version: str
    digest: str
    folder: str
    files: tuple[str, ...]

    @property
    def option(self) -> str:
        """The option that names the archive where it is at hand."""
        return f"--{self.title.lower()}"


RUNTIME: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""The files of Pyodide that the page loads."""
CLASSIC: Final = "pyodide.js"
"""Pyodide's loader as a classic script, which a page from the disk can hold."""
PYODIDE: Final = NpmPackage(
    name="pyodide",
    title="Pyodide",
    version="314.0.7",
    digest="66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    folder="package",
    files=(*RUNTIME, CLASSIC),
)
ONNXRUNTIME: Final = NpmPackage(
    name="onnxruntime-web",
    title="onnxruntime",
    version="1.30.0",
    digest="d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71",
    folder="package/dist",
    files=("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"),
)


def unpacked(package: NpmPackage, given: str | None) -> dict[str, bytes]:
    """The files of a package by name; `given` is the path of its archive, if that is at hand."""
    path = Path(given) if given is not None else _fetched(package)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CapaxError("file-unreadable", f"{path} cannot be read: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != package.digest:
        hint = f"npm pack {package.name}@{package.version}"
        raise CapaxError("bad-option", f"{path} is not the npm package {package.name} {package.version}", hint=hint)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
        return {name: _member(tar, f"{package.folder}/{name}") for name in package.files}


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    assert file is not None, name
    return file.read()


def _fetched(package: NpmPackage) -> Path:
    """The archive in the user's cache, fetched if it is not there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "capax"
    path = cache / f"{package.name}-{package.version}.tgz"
    if path.exists():
        return path
    npm, wanted = shutil.which("npm"), f"{package.name}@{package.version}"
    hint = f"install Node.js, or name the package: {package.option} FILE (npm pack {wanted})"
    if npm is None:
        raise CapaxError("bad-option", f"{package.title} is fetched by npm, which is not installed", hint=hint)
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [npm, "pack", wanted], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode:
            last = " ".join(done.stderr.strip().splitlines()[-1:])
            what = f"npm could not fetch {package.name} {package.version}: {last:.200}"
            raise CapaxError("bad-option", what, hint=hint)
        cache.mkdir(parents=True, exist_ok=True)
        write_bytes(path, (Path(folder) / path.name).read_bytes())
    return path
