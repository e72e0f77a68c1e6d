"""Numbers that are packed into bytes come back, and take as many bits as their fields say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.limits.protocols.play.partial_bytes import BitField, pack, unpack, width

fields = st.lists(st.builds(BitField, st.integers(1, 60), st.booleans()), min_size=1, max_size=6)


@given(fields, st.integers(0, 5), st.randoms())
def test_what_is_packed_comes_back(made: list[BitField], rows: int, random: object) -> None:
    def number(field: BitField) -> int:
        low, high = (-(1 << field.bits - 1), (1 << field.bits - 1) - 1) if field.signed else (0, (1 << field.bits) - 1)
        return random.choice([low, high, random.randint(low, high)])  # type: ignore[attr-defined,no-any-return]

    table = np.array([[number(field) for field in made] for _ in range(rows)], np.int64).reshape(rows, len(made))
    data = pack(table, made)
    assert len(data) == -(-rows * width(made) // 8)
    assert (unpack(data, made, rows) == table).all()
