"""How many bits one party of a layer sends to the token that answers."""

from decimal import Decimal

from capax.errors import CapaxError
from capax.limits.base.count import Count
from capax.limits.base.precise import ceil_log2, log2
from capax.tasks.base.parameter import Parameter

HEADS = Count("heads", 32, "the number H of heads of a layer", 1)
DIM = Count("dim", 128, "the dimension d of one head's values (not the width of the model, which is H d)", 1)
BITS = Count("bits", 16, "the precision p: bits of a number", 1)
COUNTED = Parameter(
    "count",
    "nominal",
    "how the message is counted: H (d + 1) p; in exact integers; or from the number of messages",
    choices=("nominal", "exact", "measured"),
)
WEIGHT_BITS = Count("weight_bits", 0, "bits of an attention weight, for --count exact; 0: as --bits", 0)
VALUE_BITS = Count("value_bits", 0, "bits of a value, for --count exact; 0: as --bits", 0)
MESSAGES = Count("messages", 0, "how many different messages there are in all, for --count measured", 0)
MESSAGE = (HEADS, DIM, BITS, COUNTED, WEIGHT_BITS, VALUE_BITS, MESSAGES)
"""The parameters of a message."""


def nominal_bits(heads: int, dim: int, bits: int) -> int:
    """The papers' count H (d + 1) p: for each head d numbers and one denominator, all of p bits.

    It takes for granted that partial sums fit into p bits as well.
    """
    return heads * (dim + 1) * bits


def exact_bits(heads: int, dim: int, weight_bits: int, value_bits: int, tokens: int) -> int:
    """The bits of the exact partial sums over so many tokens, with weights up to 2^weight_bits and signed values."""
    carry = ceil_log2(tokens)
    return heads * (dim * (weight_bits + value_bits + carry) + weight_bits + 1 + carry)


def message_bits(
    tokens: int, heads: int, dim: int, bits: int, count: str, weight_bits: int, value_bits: int, messages: int
) -> int | Decimal:
    """The bits of the message of so many tokens, counted as `count` says."""
    match count:
        case "nominal":
            return nominal_bits(heads, dim, bits)
        case "exact":
            return exact_bits(heads, dim, weight_bits or bits, value_bits or bits, tokens)
        case _:
            if messages < 1:
                hint = "--messages N, the number of all messages that can be sent (those of a sample may be too few)"
                raise CapaxError("bad-option", "a measured message needs the number of messages", hint=hint)
            return log2(messages)


def formula(count: str) -> str:
    """How a message is counted, in a line."""
    return {
        "nominal": "H (d + 1) p; takes for granted that sums fit into p bits",
        "exact": "H (d (pw + pv + ceil log N) + pw + 1 + ceil log N), sums held exactly",
        "measured": "log2 of the number of messages; holds if there are no others",
    }[count]
