"""A site is written whole or not at all."""

from pathlib import Path

import pytest

from capax.app.site.build import MARK, Site, write_site
from capax.errors import CapaxError


def test_what_is_not_the_package_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "pyodide.tgz"
    wrong.write_bytes(b"something else")
    with pytest.raises(CapaxError, match="is not the npm package"):
        write_site(str(tmp_path / "site"), pyodide=str(wrong))
    with pytest.raises(CapaxError, match="cannot be read"):
        write_site(str(tmp_path / "site"), pyodide=str(tmp_path / "nowhere.tgz"))
    assert not (tmp_path / "site").exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(CapaxError, match="not empty"):
            write_site(str(tmp_path), force=force)
    (tmp_path / MARK).write_text("{}")
    with pytest.raises(CapaxError, match="not empty") as error:
        write_site(str(tmp_path))
    assert "--force" in str(error.value.hint)
    with pytest.raises(CapaxError, match=r"ends with \.html"):
        write_site(str(tmp_path / "page"), single_file=True)


def test_npm_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CapaxError, match="npm, which is not installed"):
        write_site(str(tmp_path / "site"))


def test_a_site_says_how_to_open_it() -> None:
    site = Site("out", False, (("index.html", 1200), ("capax.zip", 800)))
    assert site.size == 2000
    assert "2,000 bytes" in site.render()
    assert "http.server --directory out" in site.render()
    assert site.to_json()["files"] == {"index.html": 1200, "capax.zip": 800}
    assert "double click" in Site("a.html", True, ()).render()
