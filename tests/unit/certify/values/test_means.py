"""The means that a certificate goes through are those of the language."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.means import are_sums, is_sum, means, same_values, totals, unit_of
from capax.rasp.ir.nodes import Aggregate, And, Indices, Input, Not, Select, SOpNode, Width

numbers = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([0.1, 0.2, 0.1 * 3, 1 / 3, 2 / 3, -0.7, 2.0**40, 2**53, 2**60, 1e-9]),
    st.floats(-4, 4, width=16),
)


def mean(values: tuple[float, ...]) -> float:
    """As the language defines it."""
    whole = all(isinstance(v, int) for v in values)
    return (sum(values) if whole else math.fsum(values)) / len(values)


@example([7378732916781557, 2820216245894084], 3)  # each fits 53 bits, and sums of three do not
@given(st.lists(numbers, min_size=1, max_size=4), st.integers(1, 4))
def test_every_mean_is_found(values: list[float], most: int) -> None:
    found = set(means(values, most, WorkBudget(), "x"))
    for count in range(2, most + 1):
        for several in itertools.combinations_with_replacement(values, count):
            assert mean(several) in found
            # with a float elsewhere in the word
            assert all(isinstance(v, int) for v in values) or math.fsum(several) / count in found


def test_too_many_means_are_refused() -> None:
    with pytest.raises(NotCertified, match="too many values"):
        means([2.0**-k for k in range(30)], 40, WorkBudget(), "x")


@given(st.lists(numbers, min_size=1, max_size=4), st.integers(1, 5), st.lists(numbers, min_size=1, max_size=5))
def test_which_numbers_are_means(values: list[float], count: int, others: list[float]) -> None:
    """All at once, or one by one: the same answer, and yes for every mean of so many values."""
    unit = unit_of(values)
    several = [mean(v) for v in itertools.islice(itertools.combinations_with_replacement(values, count), 20)]
    tried = [*several, *others] if count > 1 else [*values, *others]
    whole = are_sums(tried, count, unit)
    assert whole.shape == (count, len(tried))
    found = whole[-1].tolist()
    assert found == [is_sum(v, count, unit) for v in tried]
    assert count == 1 or all(found[: len(several)])


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize(
    ("unit", "steps", "count"), [(514111096151, 5294, 6), (944865, 8820741175, 3), (1000003, 6157629678, 7)]
)
def test_means_whose_sums_fit_no_float(kind: type, unit: int, steps: int, count: int) -> None:
    """Sums of integers are divided as they are, those of floats are rounded first: both are means, and found."""
    values = [kind(steps * unit), kind((steps + 1) * unit)]
    assert max(values) < 2**53 < min(values) * count
    several = [mean((values[0],) * k + (values[1],) * (count - k)) for k in range(1, count)]
    assert are_sums(several, count, unit_of(values))[-1].all()
    assert not are_sums([v + unit // 5 for v in several], count, unit_of(values))[0].any()


def test_sums_beyond_all_floats_exclude_nothing() -> None:
    assert is_sum(1.5e308, 2, Fraction(1.5e308))
    assert not is_sum(1.4e308, 1, Fraction(1.5e308))


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([1, 2], 1),
        ([2, 4, 6], 2),
        ([0.5, 3], 0.5),
        ([0], 1),
        ([0, 6, 9], 3),
        ([-4, 6], 2),
        ([Fraction(1, 6), 0.5], Fraction(1, 6)),
    ],
)
def test_the_unit_is_the_greatest(values: list[float], unit: float) -> None:
    assert unit_of(values) == unit


@pytest.mark.parametrize(
    "values", [[0, 1], [0.1, 0.7], [2**53 - 1, 1], [2**60, 3], [2.0**52, 0.5], [-3, 2], [5e-324, 0.5]]
)
@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_no_mean_is_found_that_is_none(values: list[float], most: int) -> None:
    """Of 2 to `most` numbers, in order, each once; the sum is rounded before it is divided, or not if it is whole."""
    found = means(values, most, WorkBudget(), "x")
    several = [v for count in range(2, most + 1) for v in itertools.combinations_with_replacement(values, count)]
    exact = {sum(map(Fraction, v)) / len(v) for v in several if sum(map(Fraction, v)).denominator == 1}
    assert found == sorted(set(found))
    assert {mean(v) for v in several} <= set(found) <= {math.fsum(v) / len(v) for v in several} | set(map(float, exact))


def test_floats_with_a_whole_sum_are_rounded_before_they_are_divided() -> None:
    """Three times 2^52 and twice a half: the sum needs 54 bits, so the language rounds it, and then divides."""
    several = (2.0**52, 2.0**52, 2.0**52, 0.5, 0.5)
    assert math.fsum(several) / 5 != (3 * 2**52 + 1) / 5
    assert math.fsum(several) / 5 in means([2.0**52, 0.5], 5, WorkBudget(), "x")


def test_means_beyond_all_floats_are_refused() -> None:
    with pytest.raises(NotCertified, match="may not fit a float"):
        means([1.7e308, 1.6e308], 2, WorkBudget(), "x")


@pytest.mark.parametrize(
    ("number", "fits"), [(2**53 // 4 - 1, True), (2**53 // 4, False), (2.0**-20 * (2**51 - 1), True)]
)
def test_sums_of_53_bits(number: float, fits: bool) -> None:
    """All sums of up to so many, by their count; or none at all where they are too large."""
    found = totals([number, 0], 4, WorkBudget(), "x")
    assert (found is not None) == fits
    if found is not None:
        assert [f.tolist() for f in found] == [[*range(k + 1)] for k in range(1, 5)]


def test_the_work_of_sums_is_counted() -> None:
    budget = WorkBudget()
    before = budget.verdict.spent
    totals([0, 2, 3], 4, budget, "x")
    assert budget.verdict.spent - before == 4 + 7 + 10 + 13
    totals([0, 1], 4, budget, "x")
    assert budget.verdict.spent - before == 4 + 7 + 10 + 13 + 2 + 3 + 4 + 5


@given(st.lists(st.integers(-60, 60), min_size=1, max_size=6, unique=True), st.integers(1, 5), st.integers(1, 2**21))
def test_sums_are_those_of_all_choices(numbers: list[int], most: int, apart: int) -> None:
    """As bits, in a row, and, for numbers far apart, one by one."""
    numbers = sorted(apart * n for n in numbers)
    found = totals(numbers, most, WorkBudget(), "x")
    assert found is not None
    unit = unit_of(numbers)
    for count, sums in enumerate(found, 1):
        expected = {sum(c) for c in itertools.combinations_with_replacement(numbers, count)}
        assert [int(s * unit) for s in sums.tolist()] == sorted(expected)


def test_strings_and_what_is_no_number() -> None:
    """A string is no mean of several; an infinite number may be any."""
    unit = Fraction(1)
    assert [is_sum("a", n, unit) for n in (1, 2)] == [True, False]
    assert is_sum(math.inf, 3, unit)
    assert is_sum(0, 3, unit)
    assert not is_sum(0.5, 3, unit)
    assert is_sum(0.5, 2, unit)
    assert not is_sum(1e-9, 2, unit)
    assert is_sum(2.0**48 + 0.1, 1, unit), "so large, nothing is excluded"
    assert not is_sum(2.0**47 + 0.5, 1, unit)
    assert are_sums([0.5, "a"], 2, unit).tolist() == [[False, True], [True, False]]
    assert are_sums([0.5, math.inf, 1.5], 2, unit).tolist() == [[False, True, False], [True, True, True]]


RANK, X = Width(Select(Input("asis"), Input("asis"), "<")), Input("asis")


@pytest.mark.parametrize(
    ("values", "longest", "same"),
    [
        ([1, 2], 3, True),
        (["a", 1], 3, True),
        ([0.1], 2, True),
        ([0.1], 3, False),
        ([0.5], 3, True),
        ([2**52 + 1], 1, True),
        ([2**52 + 1], 2, False),
        ([3 * 2**60], 2, False),
        ([0.0, math.inf], 9, True),
    ],
)
def test_keys_of_one_rank_have_one_value(values: list[float], longest: int, same: bool) -> None:
    """If sums of equal values are not rounded."""
    assert same_values(Aggregate(Select(RANK, Indices(), "=="), X, 0), values, longest) == same


def test_other_keys_may_have_several_values() -> None:
    """Only an equal number of smaller, or of greater, x says that x is equal."""
    place = Indices()

    def sure(key: SOpNode, op: str = "==", value: SOpNode = X) -> bool:
        return same_values(Aggregate(Select(key, place, op), value, 0), [1], 2)

    assert sure(Width(Select(X, X, ">")))
    assert not sure(RANK, "<=")
    assert not sure(place)
    assert not sure(RANK, value=place)
    assert not sure(Width(Select(X, X, "<=")))
    assert not sure(Width(Select(X, place, "<")))
    assert not sure(Width(Not(Select(X, X, "<"))))
    assert not same_values(Aggregate(And(Select(RANK, place, "=="), Select(X, X, "<")), X, 0), [1], 2)
