"""The description of a model: everything but its numbers, as plain data for JSON."""

from collections.abc import Callable
from typing import Any, Final, assert_never

from capax.errors import CapaxError
from capax.model.io.fields import plain
from capax.model.model import Model
from capax.model.parts import (
    AnyHead,
    AnyMlp,
    Block,
    GatedMlp,
    Head,
    Mlp,
    Norm,
    OracleMap,
    Origin,
    RotaryHead,
    TensorHead,
)
from capax.model.vocabulary import Decoding


def header_json(model: Model) -> dict[str, Any]:
    """The description of a model, from which and from its arrays it can be made again."""
    origins: dict[tuple[str, str | None], int] = {}

    def number_of(origin: Origin | None) -> int | None:
        if origin is None:
            return None
        return origins.setdefault((origin.what, origin.location), len(origins))

    table = model.positions.table
    description = {
        "numbers": model.numbers,
        "vocabulary": plain(model.vocabulary.tokens, "the vocabulary", _unfit),
        "prefix": plain(model.prefix, "the prefix", _unfit),
        "min_length": model.min_length,
        "max_length": model.max_length,
        "names": list(model.names),
        "norm_place": model.norm_place,
        "output_weights": model.output_weights,
        "positions": {"functions": list(model.positions.functions), "table": table is not None},
        "input_mlp": _mlp_json(model.input_mlp, "before the first layer", number_of),
        "blocks": [_block_json(block, number, number_of) for number, block in enumerate(model.blocks)],
        "readout": {"names": list(model.readout.names), "norm": _norm_json(model.readout.norm)},
        "decoding": _decoding_json(model.decoding),
        "facts": plain(model.provenance.to_json(), "the provenance", _unfit),
    }
    if model.loop is not None:
        description["loop"] = model.loop.to_json()
    return description | {"origins": [[what, location] for what, location in origins]}


def _unfit(what: str) -> Exception:
    return CapaxError("bad-model", f"the model cannot be saved: {what}")


_Number = Callable[[Origin | None], int | None]


def _block_json(block: Block, number: int, number_of: _Number) -> dict[str, Any]:
    return {
        "heads": [_head_json(head, number_of) for head in block.heads],
        "mlp": _mlp_json(block.mlp, f"in block {number}", number_of),
        "attention_norm": _norm_json(block.attention_norm),
        "mlp_norm": _norm_json(block.mlp_norm),
    }


def _head_json(head: AnyHead, number_of: _Number) -> dict[str, Any]:
    scale = plain(head.scale, "a scale", _unfit)
    shared = {"mask": head.mask, "scale": scale, "name": head.name, "origin": number_of(head.origin)}
    match head:
        case Head():
            return {"kind": "head", "attention": head.attention, "sink": head.sink is not None, **shared}
        case TensorHead():
            return {"kind": "tensor", **shared} | ({} if head.sink is None else {"sink": True})
        case RotaryHead():
            return {"kind": "rotary", **shared}
        case _:
            assert_never(head)


def _mlp_json(mlp: AnyMlp | OracleMap | None, where: str, number_of: _Number) -> dict[str, Any] | None:
    match mlp:
        case None:
            return None
        case OracleMap():
            raise CapaxError(
                "bad-model",
                f"the map `{mlp.name}` {where} is an arbitrary function and cannot be saved",
                hint="files hold numbers, not code; use an MLP instead",
            )
        case Mlp():
            units = [[number_of(unit) for unit in stage] for stage in mlp.units]
            return {"maps": len(mlp.maps), "activation": mlp.activation, "units": units}
        case GatedMlp():
            return {"gated": True}
        case _:
            assert_never(mlp)


def _norm_json(norm: Norm | None) -> dict[str, Any] | None:
    return None if norm is None else {"kind": norm.kind, "epsilon": plain(norm.epsilon, "an epsilon", _unfit)}


_IN_WORDS: Final = {"values": "an answer", "codes": "a code", "unit": "a unit"}


def _decoding_json(decoding: Decoding) -> dict[str, Any]:
    return {key: plain(value, _IN_WORDS.get(key, key), _unfit) for key, value in decoding.to_json().items()}
