"""Results that are kept with a program."""

from capax.rasp.meaning.vector.memo import LONGEST_TEXT, Memo, Room


def test_equal_values_of_two_types_are_told_apart() -> None:
    """True and 1 are equal, and an operation may give something else for each."""
    memo = Memo(Room())
    memo.keep(("int",), [(1,)], ["one"])
    assert memo.results(("int",), [(1,)]) == ["one"]
    assert memo.results(("bool",), [(True,)]) is None


def test_operations_share_the_room() -> None:
    """No more is kept than there is room for."""
    room = Room(3)
    one, two = Memo(room), Memo(room)
    one.keep(("int",), [(1,), (2,)], [10, 20])
    two.keep(("int",), [(3,), (4,)], [30, 40])
    assert one.results(("int",), [(1,), (2,)]) == [10, 20]
    assert two.results(("int",), [(3,)]) == [30]
    assert two.results(("int",), [(4,)]) is None
    assert room.left == 0


def test_large_values_are_not_kept() -> None:
    """Neither as operands nor as results."""
    room = Room()
    memo, long = Memo(room), "a" * (LONGEST_TEXT + 1)
    memo.keep(("str", "int"), [("a", 100), (long, 1), ("b", 2)], [long, "a", 1 << 70])
    assert room == Room()


def test_what_is_known_takes_no_room() -> None:
    """The same row twice."""
    room = Room(5)
    memo = Memo(room)
    for _ in range(3):
        memo.keep(("str",), [("a",)], [1])
    assert room.left == 4
