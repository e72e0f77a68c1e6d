"""Tracr's names: expressions, annotations, None, and the compiled model's ways in and out."""

from typing import Any

import numpy as np
import pytest

import capax.compat.tracr as tracr
from capax.compat.tracr import compile_rasp_to_model, compiling, lib, rasp
from capax.errors import CapaxError
from capax.rasp.analysis.schedule import schedule


def refused(code: str, function: Any, *args: Any, **options: Any) -> CapaxError:
    """The error of a call that must be refused with a code."""
    with pytest.raises(CapaxError) as caught:
        function(*args, **options)
    assert caught.value.code == code
    return caught.value


def test_names_can_be_imported_flat() -> None:
    """The package has the names of `rasp`, and those of the compiler."""
    assert tracr.tokens is rasp.tokens
    assert tracr.Select is rasp.Select
    assert tracr.compile_rasp_to_model is compiling.compile_rasp_to_model
    assert set(rasp.__all__) <= set(tracr.__all__)


def test_names_labels_and_annotations() -> None:
    """A name makes another expression; defaults are those of the kind."""
    one = rasp.Map(lambda x: x, rasp.tokens)
    two = one.named("copy").annotated(colour="red")
    assert (one.name, two.name, two.annotations["colour"]) == ("map", "copy", "red")
    assert one.label != two.label
    assert two.label.startswith("copy_")
    assert rasp.tokens.label == "tokens"
    assert rasp.is_numerical(rasp.numerical(one))
    assert rasp.is_categorical(one)
    assert rasp.get_encoding(rasp.categorical(one)) is rasp.Encoding.CATEGORICAL
    with pytest.raises(KeyError):
        one.annotations["colour"]


def test_children_and_parts() -> None:
    """Expressions tell what they are made from; a map of a map is one map."""
    inner = rasp.tokens == "a"
    outer = ~inner
    assert isinstance(outer, rasp.Map)
    assert outer.inner is rasp.tokens
    assert outer.f("b") is True
    kept = rasp.Map(lambda x: x, inner, simplify=False)
    assert kept.children == [inner] or kept.children[0] is inner
    linear = rasp.LinearSequenceMap(rasp.indices, rasp.indices, 2, -1)
    assert (linear.fst_fac, linear.snd_fac, linear([0, 0, 0])) == (2, -1, [0, 1, 2])


def test_none_passes_through() -> None:
    """None stays None in maps, is the default of an aggregate, and is refused by comparisons."""
    shifted = lib.shift_by(1, rasp.tokens)
    assert shifted("ab") == [None, "a"]
    assert (shifted == "a")("ab") == [None, True]
    assert (shifted + rasp.tokens)("ab") == [None, "ab"]
    error = refused("illegal-value", rasp.Select(shifted, rasp.tokens, rasp.Comparison.EQ), "ab")
    assert "None" in error.what
    assert rasp.Select(shifted, rasp.tokens, lambda k, q: k is None)("ab") == [[True, False], [True, False]]
    inner = rasp.Map(lambda x: None if x == 1 else x, rasp.tokens)
    assert rasp.Map(lambda x: str(x), inner)([1, 2]) == ["None", "2"]
    assert rasp.Map(lambda x: str(x), inner, simplify=False)([1, 2]) == [None, "2"]


def test_constants() -> None:
    """Constants for tests, by position and by row."""
    assert rasp.ConstantSOp([3, 4])("ab") == [3, 4]
    assert isinstance(refused("word-length", rasp.ConstantSOp([3, 4]), "abc"), ValueError)
    rows = rasp.ConstantSelector([[True, False], [True, True]])
    assert rasp.Aggregate(rows, rasp.indices)("ab") == [0, 0.5]
    model = compile_rasp_to_model(rasp.Aggregate(rows, rasp.ConstantSOp([5, 6])), "ab", 2, compiler_bos=None)
    assert model.apply("ab").decoded == [5, 5.5]


def test_what_tracr_lets_pass_is_refused() -> None:
    """`and` between expressions, operands that are none, and defaults that are no values."""
    refused("truth-value", bool, rasp.tokens == "a")
    refused("expected-sop", rasp.Map, lambda x: x, 3)
    refused("expected-selector", rasp.Aggregate, rasp.tokens, rasp.tokens)
    refused(
        "expected-atom", rasp.Aggregate, rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ), rasp.tokens, [1]
    )
    refused("bad-option", rasp.Map, rasp.tokens, rasp.tokens)


def test_s_ops_can_be_compared_with_each_other() -> None:
    """Tracr compares with values only; here two s-ops are compared position by position."""
    assert (rasp.indices == rasp.tokens)([0, 2, 2]) == [True, False, True]
    model = compile_rasp_to_model(rasp.indices < rasp.tokens, {0, 1, 2}, 3, compiler_bos="BOS")
    assert model.apply(["BOS", 0, 2, 2]).decoded == ["BOS", False, True, False]


def test_the_start_token() -> None:
    """Words and answers begin with it; without one they do not."""
    model = compile_rasp_to_model(lib.make_reverse(rasp.tokens), {"a", "b"}, 3, compiler_bos="BOS")
    assert model.apply(["BOS", "a", "b"]).decoded == ["BOS", "b", "a"]
    refused("bad-input", model.apply, ["a", "b"])
    refused("bad-input", model.apply, ["BOS", "a", "BOS"])
    refused("empty-input", model.apply, ["BOS"])
    refused("word-length", model.apply, ["BOS", *"abab"])
    refused("unknown-token", model.apply, ["BOS", "c"])
    refused("bad-alphabet", compile_rasp_to_model, rasp.tokens, {"BOS"}, 3, compiler_bos="BOS")
    free = compile_rasp_to_model(lib.make_reverse(rasp.tokens), {"a", "b"}, 3, compiler_bos=None)
    assert free.apply("ab").decoded == ["b", "a"]


@pytest.mark.parametrize("bos", ["BOS", None])
def test_padding_comes_after_the_word_and_changes_nothing(bos: str | None) -> None:
    """A word that is filled up has the answers that it has alone, and padding where padding was."""
    reverse, width = lib.make_reverse(rasp.tokens), lib.make_length()
    start = [] if bos is None else [bos]
    for program in (reverse, width, rasp.numerical(width)):
        model = compile_rasp_to_model(program, {"a", "b"}, 4, compiler_bos=bos, compiler_pad="PAD")
        for word in ("a", "ab", "bba", "abab"):
            padding = ["PAD"] * (4 - len(word))
            output = model.apply([*start, *word, *padding])
            assert output.decoded == [*start, *program(word), *padding]
            assert output.unembedded.shape[1] == len(word)


def test_padding_elsewhere_is_refused() -> None:
    """Before or inside a word, beyond the length, alone, or where there is no padding token."""
    model = compile_rasp_to_model(lib.make_reverse(rasp.tokens), {"a", "b"}, 3, compiler_bos="BOS", compiler_pad="PAD")
    error = refused("bad-input", model.apply, ["BOS", "a", "PAD", "b"])
    assert "position 1" in error.what
    refused("bad-input", model.apply, ["BOS", "PAD", "a"])
    refused("word-length", model.apply, ["BOS", *"abb", "PAD"])
    refused("empty-input", model.apply, ["BOS", "PAD"])
    without = compile_rasp_to_model(rasp.tokens, {"a"}, 3, compiler_pad=None)
    refused("unknown-token", without.apply, ["compiler_bos", "a", "compiler_pad"])


def test_selectors_over_the_same_s_ops_are_one_select() -> None:
    """`&`, `|` and `~` give a Select with the joint predicate, as in Tracr; its meaning is that of the parts."""
    at_least = rasp.Select(rasp.tokens, rasp.indices, rasp.Comparison.GEQ)
    at_most = rasp.Select(rasp.tokens, rasp.indices, rasp.Comparison.LEQ)
    small = rasp.Select(rasp.tokens, rasp.Full(1), rasp.Comparison.LEQ)
    early = rasp.Select(rasp.Full(1), rasp.indices, rasp.Comparison.GEQ)
    for one, two in ((at_least, at_most), (at_least, small), (small, at_least), (early, at_most), (small, early)):
        for folded, apart in (
            (one & two, rasp.selector_and(one, two, simplify=False)),
            (one | two, rasp.selector_or(one, two, simplify=False)),
            (~(one | two), rasp.selector_not(rasp.selector_or(one, two, simplify=False), simplify=False)),
        ):
            assert isinstance(folded, rasp.Select)
            assert not isinstance(apart, rasp.Select)
            assert folded.keys is rasp.tokens
            assert folded.queries is rasp.indices
            word = [2, 0, 1, 1]
            assert folded(word) == apart(word)
            assert folded(word) == [[bool(folded.predicate(k, q)) for k in word] for q in range(4)]
    different = at_least & rasp.Select(rasp.indices, rasp.tokens, rasp.Comparison.LEQ)
    assert isinstance(different, rasp.SelectorAnd)


def test_a_folded_selector_compiles_as_its_parts_do() -> None:
    """Folding costs nothing: the model has the size of the selectors that are joined."""
    one = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)
    two = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.LT)
    folded = rasp.SelectorWidth(one | two)
    apart = rasp.SelectorWidth(rasp.selector_or(one, two, simplify=False))
    first, second = (compile_rasp_to_model(p, {1, 2, 3}, 5, compiler_bos=None) for p in (folded, apart))
    assert first.model.size == second.model.size
    assert first.apply([3, 1, 2, 1]).decoded == [4, 2, 3, 2]


def test_a_sequence_map_of_one_s_op_is_remarked_on(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged, as in Tracr; two different s-ops are not."""
    rasp.SequenceMap(lambda x, y: x + y, rasp.tokens, rasp.indices)
    assert not caplog.records
    rasp.SequenceMap(lambda x, y: x + y, rasp.tokens, rasp.tokens)
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("WARNING", "capax.compat.tracr")


def test_labels_encoders_and_sizes() -> None:
    """The compiled model has the attributes that Tracr's has."""
    model = compile_rasp_to_model(lib.make_hist(), {"b", "a"}, 4)
    assert list(model.input_encoder.encoding_map) == ["a", "b", "compiler_bos", "compiler_pad"]
    assert model.input_encoder.encode(["compiler_bos", "b"]) == [2, 1]
    assert model.input_encoder.decode([0, 1]) == ["a", "b"]
    assert (model.input_encoder.bos_encoding, model.input_encoder.vocab_size) == (2, 4)
    assert model.output_encoder.decode([3]) == [3]
    assert len(model.residual_labels) == model.model.width
    assert model.model_config.num_layers == 1
    assert all(isinstance(array, np.ndarray) for array in model.params.values())
    output = model.apply(["compiler_bos", *"aab"])
    assert output.decoded == ["compiler_bos", 2, 2, 1]
    assert output.transformer_output.shape == (1, 3, model.model.width)
    assert [r.shape for r in output.residuals] == [(1, 3, model.model.width)] * 2
    assert output.attn_logits[0].shape[:3] == (1, 1, 3)
    refused("bad-option", getattr, model, "forward")
    refused("bad-option", getattr, model, "get_compiled_model")


@pytest.mark.parametrize(
    ("program", "vocab", "word", "answers"),
    [
        # Tracr gives wrong answers, or refuses, on each of these
        (lib.make_length(), {"a"}, "a" * 12, [12] * 12),
        (rasp.length, {"a", "b"}, "ab", [2, 2]),
        (rasp.numerical(rasp.tokens), {1, 2, 3}, [3, 1], [3, 1]),
        (rasp.tokens, {1, "a", 2.5}, ["a", 1, 2.5], ["a", 1, 2.5]),
        (
            rasp.Aggregate(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.TRUE), rasp.tokens),
            {1, 2, 6},
            [1, 2, 6],
            [3.0] * 3,
        ),
        (
            rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices, rasp.Comparison.GT), rasp.indices, default=-7),
            {"a"},
            "aaa",
            [1.5, 2, -7],
        ),
        (
            rasp.SelectorWidth(
                rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)
                & ~rasp.Select(rasp.indices, rasp.indices, rasp.Comparison.LT)
            ),
            {"a", "b"},
            "abaa",
            [3, 1, 2, 1],
        ),
        (rasp.Map(lambda x: (x, x), rasp.tokens), {"a", "b"}, "ab", [("a", "a"), ("b", "b")]),
        (rasp.SequenceMap(lambda x, y: y * x, rasp.tokens, rasp.indices), {"a", "b"}, "aba", ["", "b", "aa"]),
        (rasp.Map(lambda x: None if x == "a" else x, rasp.tokens), {"a", "b"}, "ab", [None, "b"]),
        (rasp.Map(lambda x: np.int64(x) * 2, rasp.tokens), {1, 2}, [1, 2], [2, 4]),
        (rasp.Map(lambda x: [x], rasp.tokens), {"a", "b"}, "ab", [["a"], ["b"]]),
        (rasp.indices - 3, {"a"}, "aaa", [-3, -2, -1]),
        (rasp.Full(None), {"a"}, "aa", [None, None]),
    ],
)
def test_what_tracr_gets_wrong_works(program: Any, vocab: set[Any], word: Any, answers: list[Any]) -> None:
    """The model gives the interpreter's answers."""
    assert program(list(word)) == answers
    model = compile_rasp_to_model(program, vocab, 12, compiler_bos="BOS")
    assert model.apply(["BOS", *word]).decoded == ["BOS", *answers]


def test_refusals_of_the_compiler() -> None:
    """What cannot be compiled is refused with a reason."""
    refused("not-compilable", compile_rasp_to_model, rasp.length, {"a"}, 3, causal=True)
    refused("not-compilable", compile_rasp_to_model, 3, {"a"}, 3)
    refused("always-fails", compile_rasp_to_model, rasp.Map(lambda x: x / 0, rasp.tokens), {1}, 3)
    refused("bad-alphabet", compile_rasp_to_model, rasp.tokens, set(), 3)
    refused("bad-alphabet", compile_rasp_to_model, rasp.tokens, {(1, 2)}, 3)
    refused("bad-option", compile_rasp_to_model, rasp.tokens, {"a"}, 0)
    every = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.TRUE)
    many = rasp.Aggregate(every, rasp.Map(lambda x: x * 0.37, rasp.tokens))
    refused("too-many-values", compile_rasp_to_model, rasp.Map(hash, many), set(range(40)), 60)


def test_constants_are_lists() -> None:
    """A constant has a value for each place, a constant selector a row; one value alone is refused."""
    assert rasp.ConstantSOp((1, 2))("ab") == [1, 2]
    assert rasp.SelectorWidth(rasp.ConstantSelector(np.eye(2, dtype=bool)))("ab") == [1, 1]
    assert "Full" in str(refused("bad-option", rasp.ConstantSOp, 5).hint)
    refused("bad-option", rasp.ConstantSelector, True)
    refused("bad-option", rasp.ConstantSelector, [True, False])


def test_what_is_shown_of_annotations_and_encoders() -> None:
    """Their contents."""
    assert "'found': 'x'" in repr(rasp.annotate(rasp.tokens, found="x").annotations)
    model = compile_rasp_to_model(rasp.tokens, {"a", "b"}, 3, compiler_bos="BOS")
    assert "'a', 'b'" in repr(model.input_encoder)


def test_programs_are_capax_programs() -> None:
    """They have layers and heads, and a text."""
    found = capax_program(lib.make_reverse(rasp.tokens), "ab", 5)
    assert schedule(found.program).depth == 2
    assert "reverse = aggregate(" in found.program.to_text()
    assert found("abb") == ["b", "b", "a"]


def capax_program(program: Any, vocabulary: Any, max_length: int) -> Any:
    """The program as a capax program."""
    from capax.compat import to_capax

    return to_capax(program, vocabulary, max_length)
