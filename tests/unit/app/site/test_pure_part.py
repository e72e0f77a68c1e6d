"""The part of capax that runs in a browser."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from capax.app.site.pure_part import archive

RUN = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.path.insert(0, sys.argv[1])
from capax.app.site import page_jobs
assert "numpy" not in sys.modules
import json
from capax.app.web.gallery import REVERSE
for request in ({"text": REVERSE.text, "word": "abc" * 40}, {"text": "", "word": ""}):
    print(page_jobs.ask("evaluate", json.dumps(request)))
print(page_jobs.ask("limit", json.dumps({"name": "composition", "given": {}})))
print(page_jobs.ask("atlas", json.dumps({"about": "language", "name": "PARITY", "fields": {}})))
print(page_jobs.ask("qr", json.dumps({"text": "capax"})))
"""


def test_the_archive_runs_where_nothing_else_is_installed(tmp_path: Path) -> None:
    """Values and picture of a word of 120 tokens are there without numpy."""
    data = archive()
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert {"capax/rasp/text/parser.py", "lark/__init__.py", "typer/core.py"} <= set(names)
    assert not any(name.startswith(("capax/model/run", "capax/certify", "numpy")) for name in names)
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", RUN, str(tmp_path)], capture_output=True, encoding="utf-8", check=True
    )
    replies = [json.loads(line)["result"] for line in done.stdout.splitlines()]
    assert replies[0]["run"]["values"] == list("cba" * 40)
    assert replies[0]["error"] is None
    assert len(replies[0]["flow"]["layers"]) == 3
    assert replies[2]["chart"].startswith("<svg")
    assert replies[3]["language"] == "PARITY"
    assert replies[4]["svg"].startswith("<svg")
