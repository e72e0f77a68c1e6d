"""Pictures of transcripts: every charged message up to a number, every player, and what is left out is said."""

from typing import Any
from xml.etree import ElementTree

import pytest

from capax.draw.subjects.transcript import MOST, SEATS, draw_transcript


def run(players: int, messages: int, broadcast: bool = False) -> dict[str, Any]:
    """A run with so many players and messages."""
    names = [f"player {i}" for i in range(players)]
    said = [
        {
            "round": 1 + i // 4,
            "from": names[i % players],
            "to": "everyone" if broadcast else names[(i + 1) % players],
            "bits": 8 * i,
            "free": i % 5 == 4,
        }
        for i in range(messages)
    ]
    sums = {
        "bits": 1,
        "exact_bits": 1,
        "counted_bits": 1,
        "formula": "p & q",
        "counted_by": "paper",
        "compared": 3,
        "output": [1] * 99,
        "truth": 0,
    }
    seats = [{"name": name, "holds": "a < b"} for name in names]
    return {"protocol": "any", "players": seats, "messages": said} | sums


@pytest.mark.parametrize(("players", "messages"), [(1, 0), (2, 1), (3, 9), (40, 200)])
@pytest.mark.parametrize("broadcast", [False, True])
def test_what_is_drawn(players: int, messages: int, broadcast: bool) -> None:
    made = run(players, messages, broadcast)
    svg = draw_transcript(made)
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert sum(text.startswith("player") and ":" not in text for text in texts) == min(players, SEATS)
    charged = [m for m in made["messages"] if not m["free"]]
    drawn = sum(text.endswith(" bits") for text in texts)
    assert drawn <= MOST
    left_out = [text for text in texts if "more messages" in text]
    if drawn < len(charged):
        assert left_out == [f"{len(charged) - drawn:,} more messages are not drawn"]
    else:
        assert not left_out
    assert any("more players" in text for text in texts) == (players > SEATS)
