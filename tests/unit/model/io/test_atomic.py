"""Files are written whole or not at all, and nothing is left beside them."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from capax.errors import CapaxError
from capax.model.io import atomic as writing


def names(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["unnamed", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of writing: with files that have no name, and where there are none."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


@pytest.mark.usefixtures("way")
def test_writing(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 250)
    writing.write_bytes(file, b"one")
    file.chmod(0o600)
    writing.write_bytes(file, b"two")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"two", 0o600)
    link = tmp_path / "link"
    link.symlink_to(file)
    writing.write_bytes(link, b"three")
    assert (file.read_bytes(), link.is_symlink()) == (b"three", True)
    assert len(names(tmp_path)) == 2


@pytest.mark.usefixtures("way")
def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "file"
    file.write_bytes(b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CapaxError, match="No space left") as raised:
        writing.write_bytes(file, b"after")
    assert raised.value.code == "file-unreadable"
    assert (file.read_bytes(), names(tmp_path)) == (b"before", ["file"])


def test_what_dead_writers_left_is_removed(tmp_path: Path) -> None:
    """Old ones that nobody holds; not those of a writer that is alive, nor an export that was being replaced."""
    for name in ("dead", "alive", "young"):
        (tmp_path / f".capax-{name}.part").write_bytes(b"half")
    (tmp_path / ".capax-folder.part" / "export").mkdir(parents=True)
    (tmp_path / ".capax-kept.part" / "before").mkdir(parents=True)
    for path in tmp_path.iterdir():
        if "young" not in path.name:
            os.utime(path, (1, 1))
    with (tmp_path / ".capax-alive.part").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writing.write_bytes(tmp_path / "file", b"whole")
    assert names(tmp_path) == [".capax-alive.part", ".capax-kept.part", ".capax-young.part", "file"]


def test_a_folder_comes_into_place_whole(tmp_path: Path) -> None:
    place = tmp_path / "export"

    def half() -> None:
        with writing.folder_beside(place) as folder:
            (folder / "half").write_text("")
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        half()
    assert names(tmp_path) == []
    with writing.folder_beside(place) as folder:
        (folder / "whole").write_text("")
    assert (names(tmp_path), names(place)) == (["export"], ["whole"])


def test_only_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(CapaxError, match="cannot write"):
            writing.write_bytes(path, b"")


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EACCES, "is the folder writable?"),
        (errno.EROFS, "is the folder writable?"),
        (errno.ENOSPC, "make room on the disk, or write elsewhere"),
        (errno.ENAMETOOLONG, "give it a shorter name"),
        (errno.ENOENT, "make the folder first"),
        (errno.EIO, None),
    ],
)
def test_the_hint_is_about_what_went_wrong(number: int, hint: str | None) -> None:
    assert writing.unwritable("file", OSError(number, os.strerror(number))).hint == hint
