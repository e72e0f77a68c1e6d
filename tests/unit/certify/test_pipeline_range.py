"""Models that are wrong at the ends of the range of a number system: none of them is certified."""

from dataclasses import replace

import numpy as np
import pytest

import capax
from capax import aggregate, indicator, select, selector_width, tokens_int
from capax.certify import certify, verdict_at
from capax.certify.recheck.handmade import certify_model
from capax.certify.recheck.recheck import spec_of
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Head, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from tests.support.perturbed import compiled, right


def times(map: Affine, factor: float) -> Affine:
    """A map times a power of two."""
    return Affine(map.weight * np.float32(factor), map.bias * np.float32(factor))


def verdicts(model: Model, program: capax.SOp) -> dict[str, int]:
    """The certified length in each number system."""
    found = certify(model, spec_of(model, program.node, causal=False))
    return {v.numbers: v.length for v in found.verdicts}


def with_heads(model: Model, change: "dict[int, Head]") -> Model:
    """The model with other first heads in some layers."""
    blocks = [replace(b, heads=(change.get(k, b.heads[0]), *b.heads[1:])) for k, b in enumerate(model.blocks)]
    return replace(model, blocks=tuple(blocks))


def test_queries_that_are_too_large_once_they_are_scaled() -> None:
    """2^120 is a number of float32, and 256 times that is none."""
    made = compiled("last position")
    head = made.model.blocks[0].heads[0]
    large = replace(head, query=times(head.query, 2.0**120), key=times(head.key, 2.0**-120))
    assert head.sink is None
    model = with_heads(made.model, {0: large})
    with pytest.raises(CapaxError, match="nan"):
        model("ab")
    assert verdicts(model, made.program) == {"float32": 0, "float64": 4, "bfloat16": 0}


def test_values_that_are_too_large_once_they_are_added_up() -> None:
    """40 times 2^124 is too large for float32, though the mean is not."""
    rank = selector_width(select(tokens_int, tokens_int, "<"))
    program = aggregate(select(rank, rank, "=="), tokens_int)
    made = capax.compile(program, alphabet=[1, 2, 4], max_length=40, certify=False)
    blocks = made.model.blocks
    large = {
        k: replace(
            b.heads[0],
            value=times(b.heads[0].value, 2.0**122),
            output=b.heads[0].output / np.float32(2.0**122),
            sink=b.heads[0].sink and replace(b.heads[0].sink, value=b.heads[0].sink.value * np.float32(2.0**122)),
        )
        for k, b in enumerate(blocks)
        if b.heads[0].value.weight.any()
    }
    assert large
    model = with_heads(made.model, large)
    with pytest.raises(CapaxError, match="nan"):
        model([4] * 40)
    spec = spec_of(model, program.node, causal=False)
    assert verdict_at(model, spec, "float32", 40).length == 0


def small_counts(power: int) -> tuple[Model, capax.compiler.compiled.Compiled]:
    """A histogram whose sink has a tiny value, made large again by what reads it."""
    made = compiled("histogram")
    block = made.model.blocks[0]
    head, up = block.heads[0], min(power, 126)
    assert head.sink is not None
    tiny = replace(
        head,
        sink=replace(head.sink, value=(head.sink.value * np.float64(2.0**-power)).astype(np.float32)),
        output=head.output * np.float32(2.0**up),
    )
    readout = made.model.readout
    weight = np.array(readout.map.weight)
    weight[np.nonzero(head.output.any(axis=0))[0]] *= np.float32(2.0 ** (power - up))
    readout = replace(readout, map=Affine(weight, readout.map.bias))
    return replace(made.model, blocks=(replace(block, heads=(tiny,)),), readout=readout), made


@pytest.mark.parametrize("power", [125, 126, 145, 147, 149])
def test_counts_that_are_too_small(power: int) -> None:
    """2^-125 / 5 is a denormal number, which some machines take for zero, and 2^-147 / 2 has lost its digits."""
    model, made = small_counts(power)
    assert power < 145 or not right(made, model, 400)
    spec = spec_of(model, made.program.node, causal=False)
    assert verdict_at(model, spec, "float32", model.max_length or 0).length == 0


def test_small_counts_that_are_normal_numbers() -> None:
    """The same, made by less: certified, and right."""
    model, made = small_counts(40)
    spec = spec_of(model, made.program.node, causal=False)
    assert right(made, model, 400)
    assert verdict_at(model, spec, "float32", model.max_length or 0).length == model.max_length


def test_sums_at_the_end_of_exact_integers() -> None:
    """2^53 and a hundred times 1 is no sum of float64 that is the same in any order."""
    program = tokens_int + 0
    model = capax.compile(program, alphabet=[0, 1], max_length=3, dtype="float64", certify=False).model
    ones, large = 100, 2.0**53
    columns = [np.array([large + ones // 2 + 16, 0.0]), np.array([large, large]), *[np.ones(2)] * ones]
    weight = np.zeros((len(columns), 2))
    weight[0, 0] = 1
    weight[1:, 1] = 1
    made = replace(
        model,
        embedding=np.stack(columns, 1),
        positions=Positions((), np.zeros((0, len(columns)))),
        names=tuple(f"s{k}" for k in range(len(columns))),
        readout=Readout(Affine(weight, np.zeros(2))),
    )
    assert made([0]) != [0]
    assert verdict_at(made, spec_of(made, program.node, causal=False), "float64", 3).length == 0


@pytest.mark.parametrize(("power", "length"), [(100, 3), (120, 3), (127, 0), (140, 0)])
def test_denormal_weights(power: int, length: int) -> None:
    """Machines that flush read them as zero."""
    program = tokens_int + 0
    model = capax.compile(program, alphabet=[0, 1], max_length=3, certify=False).model
    up, last = min(power, 124), model.readout.map
    made = replace(
        model,
        embedding=(model.embedding * 2.0**-power).astype(np.float32),
        readout=Readout(
            Affine(
                (last.weight * 2.0 ** (up - 1)).astype(np.float32),
                (last.bias * 2.0 ** (up - 1 - power)).astype(np.float32),
            )
        ),
    )
    assert verdict_at(made, spec_of(made, program.node, causal=False), "float32", 3).length == length


def test_a_model_with_numbers_of_another_system() -> None:
    """1e-46 is no number of float32, and reading it as one gives zero."""
    program = tokens_int + 0
    model = replace(capax.compile(program, alphabet=[0, 1], max_length=3, certify=False).model, provenance=Provenance())
    last = model.readout.map
    mixed = replace(
        model,
        embedding=model.embedding.astype(float) * 1e-46,
        readout=Readout(Affine(last.weight * np.float32(1e37), last.bias * np.float32(1e-9))),
    )
    found = certify_model(mixed, program, []).provenance.certificate["verdicts"]
    assert mixed([1]) == [0]
    assert {v["numbers"]: v["length"] for v in found}["float32"] == 0
    assert any("that float32 cannot represent" in v["breaks"] for v in found)


def test_a_weight_that_is_too_large_for_coarser_numbers() -> None:
    """It keeps its certificate in float64, and the others say why they have none."""
    program = tokens_int + 0
    model = capax.compile(program, alphabet=[0, 1], max_length=3, dtype="float64", certify=False).model
    large = replace(model, provenance=Provenance(), readout=Readout(times64(model.readout.map, 2.0**200)))
    found = certify_model(large, program, []).provenance.certificate["verdicts"]
    assert {v["numbers"]: v["length"] for v in found} == {"float64": 3, "float32": 0, "bfloat16": 0}
    assert all("too large for" in v["breaks"] for v in found if v["numbers"] != "float64")


def times64(map: Affine, factor: float) -> Affine:
    """A map times a number."""
    return Affine(map.weight * factor, map.bias * factor)


def test_the_leak_is_never_zero() -> None:
    """exp(-2048) is zero in float64, and not in the reals."""
    made = capax.compile(capax.library.reverse, alphabet="ab", max_length=64, dtype="float64", words=10)
    leaks = [h.leak for v in made.certificate.verdicts for h in v.heads]
    assert len(leaks) > 2
    assert all(leak > 0 for leak in leaks)


@pytest.mark.parametrize("asked", ["requires", "test", 7, None])
def test_what_certify_may_be(asked: object) -> None:
    """A misspelt "require" is no yes."""
    with pytest.raises(CapaxError, match="certify is True, False or"):
        capax.compile(indicator(tokens_int > 1), alphabet="12", max_length=2, certify=asked)
