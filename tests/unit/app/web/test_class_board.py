"""The board of a class counts pages, and only in class mode."""

from capax.app.web.class_board import ClassBoard
from capax.app.web.sandbox.fair_queue import Visitor


def test_pages_are_counted_once_for_each_puzzle() -> None:
    board = ClassBoard(("http://192.0.2.4:8765/",))
    for session in ("a", "a", "b"):
        board.solved("reverse", Visitor("192.0.2.9", session))
    board.solved("even", Visitor("192.0.2.9", "b"))
    found = board.to_json()
    assert (found["people"], found["solved"]["reverse"], found["solved"]["even"]) == (2, 2, 1)
    assert found["solved"]["vowels"] == 0


def test_nothing_is_counted_outside_of_class_mode() -> None:
    board = ClassBoard()
    board.solved("reverse", Visitor("192.0.2.9", "a"))
    assert (board.to_json()["people"], board.to_json()["links"]) == (0, [])
