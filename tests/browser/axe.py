"""axe-core, which finds what keeps people out of a page; npm fetches it once (MPL-2.0, for the tests alone)."""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

VERSION = "4.14.0"
DIGEST = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
"""The SHA-256 of the script in the package."""


def axe_script() -> str:
    """The text of axe-core, from the user's cache or by npm; without both the test is skipped."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "capax" / f"axe-core-{VERSION}.js"
    if not cache.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is fetched by npm, which is not installed")
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", f"axe-core@{VERSION}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode:
                pytest.skip(f"npm could not fetch axe-core {VERSION}")
            cache.parent.mkdir(parents=True, exist_ok=True)
            cache.write_bytes(_member((Path(folder) / f"axe-core-{VERSION}.tgz").read_bytes()))
    text = cache.read_bytes()
    assert hashlib.sha256(text).hexdigest() == DIGEST
    return text.decode()


def _member(package: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(package), mode="r:gz") as tar:
        file = tar.extractfile("package/axe.min.js")
        assert file is not None
        return file.read()
