"""Why a claim holds whether the answer is read at the last symbol or at an end marker.

A model reads at an end marker if it is right, at the last symbol, on every word with a marker after it. So what is
proved of all models that read at the last symbol, and of a class that is closed under adding and taking away a marker,
holds for both. Of one language it takes an argument of its own; without one a claim holds at the last symbol alone.
"""

from typing import Final

from capax.atlas.records import Kind
from capax.atlas.setting import Setting

BOTH: Final = ("last", "end")
MARKED: Final = "its class is closed under adding and taking away an end marker"
ANYWHERE: Final = "the argument is about what any one position can say"
NEUTRAL: Final = "a symbol that changes nothing can stand for the end marker"
COUNTS: Final = "an end marker is in no count"
BACK: Final = "a head that looks one position back takes the answer to the end marker"
STEPS: Final = "the first token that the model writes can be the end marker"


def usual(kind: Kind, setting: Setting) -> str:
    """Why a claim of a kind holds for both ways to read; empty where it takes an argument of its own."""
    if setting.steps != "none":
        return STEPS
    return {"lacks": ANYWHERE, "has": ""}.get(kind, MARKED)
