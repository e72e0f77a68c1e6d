"""The certificate beside a Hugging Face model: what the norms can change, on what that rests, and what is tested."""

from typing import Any

from capax.model.export.hf_convert import Converted

ASSUMPTIONS = (
    "the weights are run as they are, in the dtype of the configuration, and in evaluation mode",
    "a mean of D numbers is within (D + 4) u of their mean absolute value, in any order of summation",
    "a variance of D numbers is within (2 D + 8) u of itself, and 1 / sqrt of it within 4 u",
    "the two coordinates of a pair sum to at most u times the pinned number: the rounding of what was written to them",
    "each further operation of a norm is rounded once, with a relative error of at most u, or not at all",
)


def certificate(made: Converted, config: dict[str, Any]) -> dict[str, Any]:
    """The certificate as plain data."""
    shared = {"version": 1, "class": config["architectures"][0], "dtype": made.model.numbers}
    if made.sizes is None:
        return shared | {"norms": "the model's own", "proved": [], "tested": [TESTED]}
    sizes, told = made.sizes, made.notes["bound"]
    figures = {
        "width": sizes.width,
        "pinned_pairs": sizes.pins,
        "pinned_number": made.notes["pin"],
        "gain": made.notes["pin"] / 2**sizes.root,
        "scores_multiplied_by": made.soften,
    }
    reads = (
        f"every map that reads a direction x of the stream after a norm reads a number within "
        f"{told['relative']:.3g} * |x| + {told['absolute']:.3g} of x, in rows no longer than {told['reach']:.6g}"
    )
    count = 1 if made.causal else 2 * len(made.model.blocks) - 1
    if not made.causal:
        reads += f"; the stream itself passes through {count} norms one after the other, each with that error"
    row = {
        "bound_used": told["reach"],
        "longest_seen": made.notes["longest_row_seen"],
        "longest_by_intervals": made.notes["longest_row_by_intervals"],
        "evidence": made.notes["rows_within_reach"],
    }
    return shared | {
        "norms": "neutralised",
        "figures": figures,
        "assumptions": list(ASSUMPTIONS),
        "proved": [reads],
        "norms_in_a_row": count,
        "read_error": {"relative": told["relative"], "absolute": told["absolute"]},
        "rows": row,
        "tested": [TESTED, *_off(made)],
        "norms_off_by": made.notes["holds_when_off_by"],
    }


def _off(made: Converted) -> list[str]:
    """What was tried of norms that are worse than they are."""
    by, most = made.notes["holds_when_off_by"], made.notes["bound"]["relative"]
    if not by:
        return []
    whole = "the whole bound" if by >= most else "less than the bound"
    return [
        f"the answers on words that were tried, also when all norms, or every second one, are off by {by:.3g}, {whole}"
    ]


TESTED = "the answers: the directory was loaded by the stock class, and it gave the model's answers on the words tried"
