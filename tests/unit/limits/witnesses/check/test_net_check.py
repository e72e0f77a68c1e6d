"""The second look at networks in JSON: numbers, states and units by hand, each part from both sides."""

import hashlib
import json
from fractions import Fraction
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.limits.witnesses.check import net_check as nets
from capax.limits.witnesses.check.net_check import check_net_witness, is_net_witness
from capax.report import Report
from tests.support.witness_subjects import NETS, witness_of


def looked(name: str, net: dict[str, Any] | None = None, **change: Any) -> Report:
    """The second look at the witness of a network, some fields of which were changed."""
    net = net or NETS[name]
    digest = hashlib.sha256(json.dumps(net, sort_keys=True).encode()).hexdigest()
    made = json.loads(witness_of(name)) | {"model": digest} | change
    return check_net_witness(json.dumps(made), json.dumps(net), "w.json")


def failed(report: Report) -> list[str]:
    """The statements of the parts that do not hold."""
    assert report.holds == all(one.holds for one in report.parts)
    assert report.figures == {"not checked": "method, seed"}
    return [one.statement for one in report.parts if not one.holds]


BITS = "the inputs are 5 bits each, with the same question"
UNITS = "the inputs are 3 numbers of size at most 1, with the same question"
ONE, TWO = json.loads(witness_of("recurrent"))["inputs"]
LEFT, RIGHT = json.loads(witness_of("connected"))["inputs"]


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        (
            "recurrent",
            {"task": {"task": "match3", "q": 1, "n": 5}},
            ["the task is sparse-averaging of 5 numbers, with q = 1"],
        ),
        (
            "recurrent",
            {"task": {"task": "sparse-averaging", "q": 2, "n": 5}},
            ["the task is sparse-averaging of 5 numbers, with q = 1"],
        ),
        (
            "recurrent",
            {"task": {"task": "sparse-averaging", "q": 1, "n": 77}},
            ["the task is sparse-averaging of 5 numbers, with q = 1"],
        ),
        ("recurrent", {"guaranteed": False}, ["such inputs had to exist, as it records"]),
        (
            "recurrent",
            {"why": "x"},
            ["the reason is the one that it records: by counting: 5 bits are read, and a state has 3 bits"],
        ),
        ("wide recurrent", {"guaranteed": True}, ["such inputs need not exist, as far as is known, as it records"]),
        ("connected", {"guaranteed": False}, ["such inputs had to exist, as it records"]),
        ("recurrent", {"inputs": [[*ONE[:-1], 0], [*TWO[:-1], 1]]}, [BITS]),
        ("connected", {"inputs": [[*LEFT[:-1], LEFT[-1]], [*RIGHT[:-1], float(RIGHT[-1])]]}, [UNITS]),
    ],
)
def test_one_thing_is_wrong(name: str, change: dict[str, Any], parts: list[str]) -> None:
    assert failed(looked(name, **change)) == parts


def test_witnesses_of_recurrent_networks() -> None:
    """Five bits; the state is their sum, up to 3, and the answer is whether it is above 0."""
    assert failed(looked("recurrent", inputs=[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]])) == []
    same = looked("recurrent", inputs=[[1, 0, 0, 0, 0, 2], [0, 1, 0, 0, 0, 2]])
    assert failed(same) == ["the right answers 0 and 0 differ"]
    apart = looked("recurrent", inputs=[[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    assert failed(apart) == [
        "the states after the bits are equal",
        "the network errs: it answers 1 and 0, which is right",
    ]
    clipped = looked("recurrent", inputs=[[1, 1, 1, 1, 0, 3], [1, 1, 1, 0, 0, 3]])
    assert failed(clipped) == []
    assert clipped.parts[-1].statement == "the network errs on input 2: it answers 1 where 0 is right"
    for inputs in (
        [[1, 0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1, 0]],
        [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]],
        [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0.0]],
        [[True, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
        [[-1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
        [[1, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0]],
        [[1, 0, -1, 0, 0, 0], [0, 1, 1, 0, 0, 0]],
        [[1, 0, 0, 0, -1, 0], [0, 1, 0, 0, 1, 0]],
        [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, -1, 0]],
        [[1, 0, 0, 0, 0, -5], [0, 1, 0, 0, 0, -5]],
    ):
        assert BITS in failed(looked("recurrent", inputs=inputs))


def test_states_by_hand() -> None:
    """Two numbers of three bits, clipped on both sides, with a start and a bias."""
    net: dict[str, Any] = {"bits": 3, "start": [1, -1], "state": [[2, 0], [1, -3]], "bias": [1, -1]}
    net |= {"input": [[0, 1], [-4, 2]]}
    assert nets._run(net, []) == [1, -1]
    assert nets._run(net, [0]) == [2, 3]
    assert nets._run(net, [1]) == [-2, 3]
    assert nets._run(net, [0, 0]) == [3, -4]
    assert nets._run(net, [1, 1]) == [-4, -4]
    assert nets._run(net | {"bits": 5}, [0, 0, 0]) == [8, 15]  # [2, 3], [8, -9], then 27 is cut to 15
    assert nets._run(net | {"bits": 1}, [0]) == [0, 0]


def test_a_state_has_the_bits_of_all_its_numbers() -> None:
    """Two numbers of three bits for seven bits that are read: one bit too few."""
    net = {"length": 7, "bits": 3, "start": [0, 0]}
    found = {"kind": "equal-states", "task": {"task": "sparse-averaging", "q": 1, "n": 7}, "guaranteed": True}
    parts = nets._claims(found | {"why": "by counting: 7 bits are read, and a state has 6 bits"}, net)
    assert [one.holds for one in parts] == [True, True, True]


def test_witnesses_of_connected_networks() -> None:
    """Units that see z_1 + z_2 alone: numbers that differ in the rest look alike."""
    net = {
        "format": "capax-net",
        "kind": "fully-connected",
        "length": 2,
        "vectors": [[1, "1"]],
        "positions": [[0, 0.5]],
    }
    net |= {
        "bias": ["-1/2"],
        "layers": [{"weight": [[2], [-1]], "bias": [0, 3]}, {"weight": [["1/2", 1]], "bias": [-1]}],
    }
    said = {"task": {"task": "sparse-averaging", "q": 1, "n": 2}}
    said |= {"why": "by the null space: the first layer has 1 units for 2 numbers"}
    good = looked("connected", net, inputs=[["1/2", "-1/2", 0], ["-1/2", 0.5, 0]], **said)
    assert failed(good) == []
    assert [one.statement for one in good.parts][3:] == [
        "the inputs are 2 numbers of size at most 1, with the same question",
        "the right answers 1/2 and -1/2 differ",
        "all units of the first layer are equal, exactly",
        "the network answers the same for both, 2",
        "the network errs on inputs 1 and 2: it answers 2 where 1/2 is right and 2 where -1/2 is right",
    ]
    hidden = looked("connected", net, inputs=[[1, 0, 0], [0, 1, 0]], **said)
    assert failed(hidden) == []
    assert hidden.parts[-2].statement == "the network answers the same for both, 2"
    equal = failed(looked("connected", net, inputs=[[1, 0, 0], [1, 0, 0]], **said))
    assert equal == ["the right answers 1 and 1 differ", "the network errs: it answers 2 and 2, which is right"]
    apart = failed(looked("connected", net, inputs=[[1, 1, 0], [0, 1, 0]], **said))
    assert apart == ["all units of the first layer are equal, exactly"]
    wide = failed(looked("connected", net, inputs=[["3/2", "-1/2", 0], ["1/2", "1/2", 0]], **said))
    assert wide == ["the inputs are 2 numbers of size at most 1, with the same question"]
    for inputs in ([[1, 0, True], [0, 1, True]], [[1, 0, -2], [0, 1, -2]]):
        found = failed(looked("connected", net, inputs=inputs, **said))
        assert "the inputs are 2 numbers of size at most 1, with the same question" in found


def test_an_answer_is_wrong_from_half_the_difference_on() -> None:
    """Two truths -1 and 1: an answer 0 is wrong for both, and 1/2 for one."""
    net = {
        "format": "capax-net",
        "kind": "fully-connected",
        "length": 1,
        "vectors": [[0]],
        "positions": [[0]],
        "bias": [1],
    }
    said = {"task": {"task": "sparse-averaging", "q": 1, "n": 1}, "guaranteed": False, "inputs": [[-1, 0], [1, 0]]}
    said |= {"why": "no statement at this size: the first layer has 1 units for 1 numbers"}
    for weight, text in (
        (0, "the network errs on inputs 1 and 2: it answers 0 where -1 is right and 0 where 1 is right"),
        ("1/4", "the network errs on input 1: it answers 1/4 where -1 is right"),
        (1, "the network errs on input 1: it answers 1 where -1 is right"),
    ):
        found = looked("connected", net | {"layers": [{"weight": [[weight]], "bias": [0]}]}, **said)
        assert found.holds
        assert found.parts[-1].statement == text


def test_units_and_layers_by_hand() -> None:
    net: dict[str, Any] = {"vectors": [[1, "1/2"], [0, -1]], "positions": [[0, 2], [1, 0]], "bias": [-1, 0.25]}
    z = [Fraction(1, 2), Fraction(-1)]
    assert nets._first(net, z, 0) == [Fraction(-1), Fraction(9, 4)]
    assert nets._first(net, z, 1) == [Fraction(1), Fraction(5, 4)]
    net["layers"] = [{"weight": [[1, 2], [-1, 1]], "bias": [0, "1/4"]}, {"weight": [[1, 1]], "bias": [-1]}]
    assert nets._rest(net, [Fraction(-1), Fraction(9, 4)]) == Fraction(9, 2) + Fraction(5, 2) - 1
    assert nets._rest(net, [Fraction(1), Fraction(0)]) == 0
    assert nets._rest(net | {"layers": []}, [Fraction(7), Fraction(1)]) == 7


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (3, Fraction(3)),
        (-0.5, Fraction(-1, 2)),
        ("7", Fraction(7)),
        ("-1/2", Fraction(-1, 2)),
        ("0x1f/0x2", Fraction(31, 2)),
        ("-0x1/0xa", Fraction(-1, 10)),
        ("1" * 4300, Fraction(int("1" * 4300))),
    ],
)
def test_numbers_are_exact(value: Any, exact: Fraction) -> None:
    assert nets._exact(value) == exact


@pytest.mark.parametrize(
    "value",
    [True, None, "", "1e3", "1.5", "--1", "1/-2", " 1", "1/", "x", "0x1", "0X1/0X2", [1], "1" * 4301, "0x1/0x-2"],
)
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^no number$"):
        nets._exact(value)


def test_numbers_are_shortened() -> None:
    assert nets._short(Fraction(-1, 3)) == "-1/3"
    assert nets._short(Fraction(2**64 - 1)) == str(2**64 - 1)
    assert nets._short(Fraction(2**64)) == "about 1.84467e+19"
    assert nets._short(Fraction(1, 2**64 - 1)) == f"1/{2**64 - 1}"
    assert nets._short(Fraction(-1, 2**64)) == "about -5.42101e-20"
    assert nets._short(Fraction(2**5000, 3)) == "a number of 4,999 bits"


def test_which_texts_are_such_witnesses() -> None:
    assert is_net_witness(witness_of("recurrent"))
    assert is_net_witness('{"kind": "null-vector"}')
    for text in ('{"kind": "wrong-answer"}', "[]", "{", "3", '{"kind": ["null-vector"]}', "[" * 100_000, "{}"):
        assert is_net_witness(text) is False


def refusal(name: str, net: str | None = None, **change: Any) -> tuple[str, str | None]:
    """What is said of a witness that is none, and the hint."""
    made = json.loads(witness_of(name)) | change
    with pytest.raises(CapaxError) as caught:
        check_net_witness(json.dumps(made), net or json.dumps(NETS[name]), "w.json")
    assert caught.value.code == "bad-witness"
    return caught.value.what, caught.value.hint


UNFIT = ("w.json does not fit the network", "`capax fool NET.json --task sparse-averaging` writes one")


def test_what_is_no_such_witness() -> None:
    what, hint = refusal("recurrent", kind="wrong-answer")
    assert what == "w.json is not a witness: its kind is 'wrong-answer', not one of equal-states, null-vector"
    assert hint == "`capax fool MODEL --task TASK -o FILE` writes one"
    assert refusal("recurrent", kind=["equal-states"])[0].startswith(
        "w.json is not a witness: its kind is ['equal-states']"
    )
    assert refusal("recurrent", more=1)[0].startswith("w.json is not a witness: it has a field 'more'")
    assert refusal("recurrent", version=2)[0].endswith("its version is 2, and this capax reads 1")
    other = ("the witness is for another network", "give the file with which it was made")
    assert refusal("recurrent", model="0") == other
    assert refusal("recurrent", net=json.dumps(NETS["wide recurrent"])) == other
    assert refusal("recurrent", kind="null-vector") == UNFIT
    assert refusal("connected", kind="equal-states") == UNFIT
    for net in ("[]", "{", "{}", '{"format": "other"}', "3", "[" * 100_000):
        assert refusal("recurrent", net=net) == UNFIT
    for inputs in ([[1]], [[1], [1], [1]], 3, [[], []], [[0] * 5 + [9]] * 2, [["a"] * 6] * 2, [None, None]):
        assert refusal("recurrent", inputs=inputs) == UNFIT
    for inputs in ([[0, 0, 0, 3], [0, 0, 0, 3]], [["x", 0, 0, 1], [0, 0, 0, 1]], [[0, 0, 0, "1"], [0, 0, 0, "1"]]):
        assert refusal("connected", inputs=inputs) == UNFIT


def test_numbers_of_1_to_64_bits() -> None:
    for bits, fits in ((0, False), (1, True), (64, True), (65, False), (-1, False)):
        net = NETS["recurrent"] | {"bits": bits}
        if fits:
            looked("recurrent", net)
            continue
        with pytest.raises(CapaxError, match="does not fit the network"):
            looked("recurrent", net)
    with pytest.raises(CapaxError, match="does not fit the network"):
        looked("recurrent", NETS["recurrent"] | {"format": "net"})
