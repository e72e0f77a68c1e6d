"""Files that people bring along: bounded for a page, for a network and in all, and forgotten."""

import base64

import pytest

from capax.app.web.jobs.checkpoint_files import MOST_BYTES
from capax.app.web.sandbox.fair_queue import Visitor
from capax.app.web.uploads import Uploads
from capax.errors import CapaxError

ME, ME_TOO, OTHER = Visitor("here", "1"), Visitor("here", "2"), Visitor("there", "1")


def test_files_are_those_of_a_page() -> None:
    """Files come one after the other; other weights are another checkpoint; nothing is left of a closed page."""
    uploads = Uploads()
    uploads.add(ME, {"config.json": b"{}"})
    uploads.add(ME, {"model.safetensors": b"weights"})
    assert {name: base64.b64decode(text) for name, text in uploads.files(ME).items()} == {
        "config.json": b"{}",
        "model.safetensors": b"weights",
    }
    assert uploads.files(ME_TOO) == {}
    uploads.add(ME, {"other.safetensors": b"others"})
    assert list(uploads.files(ME)) == ["other.safetensors"]
    uploads.drop(ME)
    assert uploads.files(ME) == {}
    uploads.drop(ME)


def test_a_checkpoint_is_not_too_large() -> None:
    """A page has at most 20 MB and four files; what it has already counts, and stays."""
    uploads = Uploads()
    uploads.add(ME, {"model.safetensors": bytes(MOST_BYTES - 10)})
    for files in ({"config.json": bytes(11)}, dict.fromkeys(("a.json", "b.json", "c.json", "d.json"), b"")):
        with pytest.raises(CapaxError) as caught:
            uploads.add(ME, files)
        assert caught.value.code == "too-large"
    uploads.add(ME, {"config.json": bytes(10)})
    assert len(uploads.files(ME)) == 2


def test_a_network_has_a_share_and_all_have_bounds() -> None:
    """Pages of one network share its room; when all is taken, the next is refused until a page is closed."""
    uploads = Uploads(of_a_network=100, in_all=150)
    uploads.add(ME, {"a.safetensors": bytes(60)})
    uploads.add(ME, {"b.safetensors": bytes(90)})  # in place of the other
    for visitor, size in ((ME_TOO, 11), (OTHER, 61)):
        with pytest.raises(CapaxError) as caught:
            uploads.add(visitor, {"a.safetensors": bytes(size)})
        assert (caught.value.code, uploads.files(visitor)) == ("stopped", {})
    uploads.add(OTHER, {"a.safetensors": bytes(60)})
    uploads.drop(OTHER)
    uploads.add(ME_TOO, {"a.safetensors": bytes(10)})
