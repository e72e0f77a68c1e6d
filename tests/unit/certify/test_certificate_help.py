"""What a certificate or a refusal says would help was tried: it does help."""

import pytest

import capax
from capax import aggregate, full_s, indices, select, selector_width, tokens, tokens_asis, tokens_int, where
from capax.certify.certificate import LengthVerdict, with_help
from capax.errors import CapaxError
from tests.support.perturbed import PROGRAMS, compiled

WRITTEN = tokens_asis % selector_width(select(tokens_asis, tokens_asis, "=="))
"""Numbers written into strings: 1 and 1.0 are one value for a certificate, and written in different ways."""
SHARE = aggregate(select(indices, indices, "<="), where(tokens == "a", 0.3, 0.0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_advice_where_nothing_helps(dtype: str) -> None:
    """The same place breaks in every number system, so none is advised."""
    made = capax.compile(WRITTEN, alphabet=["%d", "%s"], max_length=6, words=20, dtype=dtype)
    verdicts = made.certificate.verdicts
    assert [v.length for v in verdicts] == [0, 0, 0]
    assert all(v.breaks is not None and v.help is None for v in verdicts)
    with pytest.raises(CapaxError) as caught:
        capax.compile(WRITTEN, alphabet=["%d", "%s"], max_length=6, words=20, dtype=dtype, certify="require")
    assert caught.value.hint == "take a model that is checked by test only: certify=True"


def test_advice_is_a_verdict_of_the_same_certificate() -> None:
    """A system is advised only where it is certified up to a greater length, and that length is named."""
    found = [compiled(name) for name in PROGRAMS]
    found.append(capax.compile(SHARE, alphabet="ab", max_length=300, words=20))
    advice = 0
    for made in found:
        verdicts = made.certificate.verdicts
        lengths = {v.numbers: v.length for v in verdicts}
        for verdict in verdicts:
            if verdict.help is None:
                assert verdict.length == max(lengths.values())
                continue
            system, rest = verdict.help.split(", ", 1)
            assert rest == f"in which these weights are certified up to length {lengths[system]}"
            assert lengths[system] > lengths[verdict.numbers]
            assert verdict.breaks is not None
            advice += 1
    assert advice >= 4
    shares = {v.numbers: v for v in found[-1].certificate.verdicts}
    assert 0 < shares["float32"].length < 300
    assert shares["float32"].help == "float64, in which these weights are certified up to length 300"


def test_of_several_systems_the_coarsest_is_advised() -> None:
    """It costs least; one that is certified no further is none."""

    def verdict(numbers: str, length: int, whole: bool = False) -> LengthVerdict:
        return LengthVerdict(numbers, length, whole, help="try something")

    all_three = [verdict("float32", 9, True), verdict("float64", 9, True), verdict("bfloat16", 2)]
    assert [v.help for v in with_help(all_three)] == [
        None,
        None,
        "float32, in which these weights are certified up to length 9",
    ]
    equal = [verdict("float32", 3), verdict("float64", 3), verdict("bfloat16", 2)]
    assert [v.help is None for v in with_help(equal)] == [True, True, False]
    assert [v.help for v in with_help([verdict("float64", 3), verdict("bfloat16", 4)])] == [
        "bfloat16, in which these weights are certified up to length 4",
        None,
    ]


LARGE = aggregate(full_s, tokens_int) > 2.5


def test_float64_is_advised_where_it_compiles() -> None:
    """A refusal for numbers that float32 cannot tell apart names float64 if that was tried with success."""
    with pytest.raises(CapaxError) as caught:
        capax.compile(LARGE, alphabet=[0, 1, 1000003], max_length=40, words=20, certify=False)
    assert caught.value.hint == 'compile with dtype="float64", in which it can be compiled; or use smaller numbers'
    assert capax.compile(LARGE, alphabet=[0, 1, 1000003], max_length=40, words=20, certify=False, dtype="float64")


def test_float64_is_not_advised_where_it_does_not_compile() -> None:
    """Nor where it was asked for."""
    mean = aggregate(select(indices, indices, "<="), tokens_int)
    for dtype in ("float32", "float64"):
        with pytest.raises(CapaxError) as caught:
            capax.compile(
                aggregate(select(indices, indices, "<="), mean), alphabet="0123456789", max_length=40, dtype=dtype
            )
        assert "float64" not in str(caught.value.hint)
