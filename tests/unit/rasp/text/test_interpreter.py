"""The language gives the reference's values, precedence and types included."""

import pytest

from capax.app.session import Session
from capax.errors import CapaxError, Source
from capax.rasp.meaning.sequence import Matrix, Sequence
from capax.rasp.text.parser import parse_expression


def value(text: str) -> object:
    """The value of an expression in a fresh session."""
    session = Session()
    source = Source("test", text)
    return session.interpreter.evaluate(parse_expression(source), session.console, source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # precedence as parsed
        ("-2^2", 4),
        ("2^3^2", 64),
        ("2^-1", 0.5),
        ("7%3*2", 1),
        ("2*7%3", 2),
        ("3>2>1", False),
        ("True or False and False", False),
        ("1 if False else 2 if False else 3", 3),
        ("1 if True else 2 if False else 3", 3),
        ("not 1 == 2", False),
        ("1+1 in [2]", True),
        ("1 != 2", True),
        # atoms are Python's
        ("7/2", 3.5),
        ("-7%3", 2),
        ('"a"*2+"b"', "aab"),
        ("[1]+[2]*2", [1, 2, 2]),
        ("True+1", 2),
        ("1 and 2", 2),
        ('0 or "x"', "x"),
        ("round(2.5)", 2),
        ("[1,2]<[1,3]", True),
        (".5+1e2", 100.5),
        ("007", 7),
        (r'"a\nb"', "a\nb"),
        # lists, dictionaries, functions of the host language
        ("[a*b for a,b in zip([1,2],[3,4])]", [3, 8]),
        ("{k: k+1 for k in range(1,6,2)}", {1: 2, 3: 4, 5: 6}),
        ('{"a": 1, 2: "b"}[2]', "b"),
        ('"hello"[-1]', "o"),
        ("len([1,2,3])", 3),
        ('{1: 2}["x"] if False else 5', 5),
        ("[k for k in {1: 2}]", [1]),
        # application results are values
        ('indices("abc")[1]', 1),
        ('indices("abc") == [0,1,2]', True),
        ('indices("abc") + indices("ab")', [0, 1, 2, 0, 1]),
        ('tokens(tokens("ab"))', ["a", "b"]),
        ('(indices+1)[0]("abc")', [1, 1, 1]),
        ('len(tokens("abc"))', 3),
        ('select(indices,0,==)("ab")[0]', [True, False]),
    ],
)
def test_host_values(text: str, expected: object) -> None:
    """Expressions of atoms, lists and dictionaries."""
    got = value(text)
    assert got == expected
    assert type(got) is type(expected) or isinstance(got, Sequence)


@pytest.mark.parametrize(
    ("text", "values", "type_"),
    [
        ('indices("hello")', [0, 1, 2, 3, 4], "ints"),
        ('length("hello")', [5] * 5, "ints"),
        ('(indices/2)("abc")', [0.0, 0.5, 1.0], "floats"),
        ('(indices if indices>0 else 0.5)("abc")', [0.5, 1, 2], "floats"),
        ('(indices==1 if indices>0 else 7)("abc")', [7, True, False], "ints"),
        ('(tokens*indices)("abc")', ["", "b", "cc"], "strings"),
        ('(tokens<"b")("abc")', [True, False, False], "bools"),
        ('(tokens==1)("ab")', [False, False], "bools"),
        ('(tokens and indices)("ab")', [False, True], "bools"),
        ('(not indices)("ab")', [True, False], "bools"),
        ('indicator(tokens)("ab")', [1, 1], "ints"),
        ('(tokens!="a")("ab")', [False, True], "bools"),
        ("tokens_int([True, 2.7])", [1, 2], "ints"),
        ("tokens_asis([1, True])", [1, True], "ints"),
        ("tokens_str([1, True])", ["1", "True"], "strings"),
        ("tokens_str([True, False])", ["True", "False"], "strings"),
        ('tokens[0]("abc")', ["a"] * 3, "strings"),
        ('tokens[-1]("abc")', ["c"] * 3, "strings"),
        ('tokens[True]("abc")', ["b"] * 3, "strings"),
        ('tokens[10]("abc")', [0] * 3, "ints"),
        ('[5,6,7][indices]("abc")', [5, 6, 7], "ints"),
        ('"xyz"[indices-1]("abc")', ["z", "x", "y"], "strings"),
        ('("l" in tokens)("hello")', [True] * 5, "bools"),
        ('(tokens in ["h","o"])("hello")', [True, False, False, False, True], "bools"),
        ('(indices in [1.0, True])("abc")', [False, True, False], "bools"),
        # aggregate: none, one, several
        ('aggregate(select(indices,5,==),tokens)("ab")', [0, 0], "ints"),
        ('aggregate(select(indices,indices,<),indices)("abc")', [0, 0, 0.5], "floats"),
        ('aggregate(select(indices,indices,==),tokens)("abc")', ["a", "b", "c"], "strings"),
        ('aggregate(select(indices,1,==),indices==1)("ab")', [True, True], "bools"),
        ('aggregate(select(indices,indices,<),tokens=="a", 0)("ab")', [0, True], "ints"),
        ('aggregate(full_s, 2)("ab")', [2.0, 2.0], "floats"),
        ('aggregate(select(indices,indices,==), 2^70)("ab")', [2**70] * 2, "ints"),
        # best: ties to the right, nothing where nothing is selected
        ('aggregate(best(select(indices,indices,<),-indices),indices,-1)("abc")', [-1, 0, 0], "ints"),
        ('aggregate(best(full_s, tokens),indices)("abba")', [2] * 4, "ints"),
        ('selector_width(best(select(indices,indices,<), 1))("abc")', [0, 1, 1], "ints"),
    ],
)
def test_sequences(text: str, values: list[object], type_: str) -> None:
    """Expressions applied to words: values with their exact types."""
    got = value(text)
    assert isinstance(got, Sequence)
    assert list(got) == values
    assert [type(v) for v in got] == [type(v) for v in values]
    assert got.type == type_


def test_select_compares_key_with_query() -> None:
    """Row i selects column j when key[j] op query[i]."""
    got = value('select(indices, indices, <)("abc")')
    assert isinstance(got, Matrix)
    assert got == [[False, False, False], [True, False, False], [True, True, False]]
    assert value('select(tokens, 1, ==)("ab")') == [[False, False], [False, False]]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('(1/indices)("ab")', "division-by-zero"),
        ('(tokens+1)("ab")', "type-mismatch"),
        ('select(tokens,1,<)("ab")', "type-mismatch"),
        ('(tokens if indices==0 else 1)("ab")', "mixed-types"),
        ('aggregate(full_s, tokens)("ab")', "average-of-non-numbers"),
        ('aggregate(full_s, tokens=="a")("ab")', "average-of-non-numbers"),
        ('aggregate(select(indices,indices,<), tokens)("ab")', "mixed-types"),
        ('((0-8)^(indices/2))("ab")', "illegal-value"),
        ('tokens_int("ab")', "bad-token"),
        ('tokens("")', "empty-input"),
        ('{"a": 1}[tokens]("ab")', "missing-key"),
        ('[1][indices]("ab")', "index-range"),
        ("indices == []", "expected-sop"),
        ("indices == {1: 2}", "expected-sop"),
        ("tokens[indices]", "index-type"),
        ("1 in [1,2] and False", "contains"),
        ("full_s and indices", "mixed-selector"),
        ("full_s + 1", "selector-operator"),
        ("aggregate(indices, 1)", "expected-selector"),
        ("aggregate(full_s, 1, indices)", "expected-atom"),
        ("best(indices, 1)", "expected-selector"),
        ("indicator(1)", "expected-sop"),
        ("nope", "undefined-name"),
        ("5(1)", "not-callable"),
        ("count(tokens)", "argument-count"),
        ("tokens()", "argument-count"),
    ],
)
def test_errors(text: str, code: str) -> None:
    """Expressions that fail, each with its own code."""
    with pytest.raises(CapaxError) as caught:
        value(text)
    assert caught.value.code == code


def test_error_names_position_and_expression() -> None:
    """A failure while running says where in the word and in which sub-expression."""
    with pytest.raises(CapaxError) as caught:
        value('(3 + 1/(indices-2))("hello")')
    assert caught.value.data["position"] == 2
    assert "position 2" in caught.value.what
    assert "1 / (indices - 2)" in caught.value.what
    assert caught.value.where is not None
    assert caught.value.where.text == "1/(indices-2)"
