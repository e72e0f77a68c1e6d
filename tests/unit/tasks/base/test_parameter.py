"""The parameters of tasks and theorems."""

import pytest

from capax import CapaxError
from capax.tasks.base.parameter import Parameter, settle

PARAMETERS = (
    Parameter("order", 3, "the order", 2, 9),
    Parameter("share", 0.5, "a share", 0, 1),
    Parameter("kind", "soft", "a kind", choices=("soft", "hard")),
    Parameter("strict", True, "whether"),
)


def test_parameters_are_settled() -> None:
    """Defaults, values and texts, each as its own type."""
    assert settle(PARAMETERS, {}) == {"order": 3, "share": 0.5, "kind": "soft", "strict": True}
    found = settle(PARAMETERS, {"order": "4", "share": 1, "kind": "hard", "strict": "no"})
    assert found == {"order": 4, "share": 1.0, "kind": "hard", "strict": False}
    assert isinstance(found["share"], float)


@pytest.mark.parametrize(
    "given",
    [
        {"order": 1},
        {"order": 10},
        {"order": 3.0},
        {"order": True},
        {"order": "x"},
        {"share": "nan"},
        {"share": 2.0},
        {"kind": "firm"},
        {"strict": 1},
        {"strict": "maybe"},
        {"ordre": 3},
    ],
)
def test_a_wrong_parameter_is_refused(given: dict[str, object]) -> None:
    """Of another type, outside the range, or of another name."""
    with pytest.raises(CapaxError) as raised:
        settle(PARAMETERS, given)
    assert raised.value.code == "bad-option"
    assert raised.value.hint
