"""The words a model is made for, and what it may use."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from capax.errors import CapaxError
from capax.rasp.ir.types import Atom, plain_atom

Dtype: TypeAlias = Literal["float32", "float64"]

MOST_TOKENS = 100_000
LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Domain:
    """All words of 1 to `max_length` tokens of the alphabet, and how they are to be computed.

    `causal`: no position sees a later one. `masks`: heads may have masks of their own. `mlp_depth`: the most hidden
    stages of an MLP, or None. `budget`: how much work and memory compiling may take, see `capax.compiler.budget`;
    also the most values that one table may have.
    """

    alphabet: tuple[Atom, ...]
    max_length: int
    causal: bool = False
    masks: bool = True
    dtype: Dtype = "float32"
    mlp_depth: int | None = None
    keep_all: bool = False
    budget: int = 20_000

    @property
    def exact_below(self) -> float:
        """Integers of at most this size are exact, and so are sums of a few of them."""
        return 2.0**22 if self.dtype == "float32" else 2.0**51

    @property
    def scale(self) -> float:
        """The factor of scores: with it the weight of an unselected key underflows to zero."""
        return 256.0 if self.dtype == "float32" else 2048.0


def read_alphabet(alphabet: object) -> tuple[Atom, ...]:
    """The tokens of an alphabet: the characters of a string or the elements of a list, each once."""
    if isinstance(alphabet, str):
        items: list[object] = list(alphabet)
    elif isinstance(alphabet, (list, tuple, set, frozenset, range)):
        items = sorted(alphabet, key=repr) if isinstance(alphabet, (set, frozenset)) else list(alphabet)
    else:
        raise CapaxError(
            "bad-alphabet",
            f"an alphabet is a string or a list of tokens, not {alphabet!r:.60}",
            hint='give a string such as "abc" or a list such as [1, 2, 3]',
        )
    found: dict[tuple[type, object], Atom] = {}
    for item in items:
        atom = plain_atom(item)
        if atom is None or atom != atom:
            raise CapaxError(
                "bad-alphabet", f"{item!r:.60} is not a token", hint="tokens are strings, numbers or bools"
            )
        if isinstance(atom, int) and atom.bit_length() > 1000:
            what = f"the token is an integer of {atom.bit_length():,} bits, which no float can hold"
            raise CapaxError("bad-alphabet", what, hint="keep the tokens below about 1e300")
        if (type(atom), atom) in found:
            raise CapaxError("bad-alphabet", f"the token {item!r:.60} is there twice", hint="name each token once")
        found[type(atom), atom] = atom
    if not 1 <= len(found) <= MOST_TOKENS:
        raise CapaxError("bad-alphabet", f"an alphabet has 1 to {MOST_TOKENS:,} tokens, not {len(found):,}")
    return tuple(found.values())


def domain(
    alphabet: object,
    max_length: int,
    *,
    causal: bool = False,
    masks: bool = True,
    dtype: str = "float32",
    mlp_depth: int | None = None,
    keep_all: bool = False,
    budget: int = 20_000,
) -> Domain:
    """The domain with these settings; a setting that makes no sense is refused."""
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= LONGEST:
        raise CapaxError("bad-option", f"max_length is a number from 1 to {LONGEST:,}, not {max_length!r:.40}")
    if dtype not in ("float32", "float64"):
        raise CapaxError(
            "bad-option", f"dtype is float32 or float64, not {dtype!r:.40}", hint="other systems: see Model.to"
        )
    if mlp_depth is not None and (isinstance(mlp_depth, bool) or not isinstance(mlp_depth, int) or mlp_depth < 1):
        raise CapaxError("bad-option", f"mlp_depth is a positive number, not {mlp_depth!r:.40}")
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise CapaxError("bad-option", f"budget is a positive number, not {budget!r:.40}")
    precise: Dtype = "float32" if dtype == "float32" else "float64"
    return Domain(read_alphabet(alphabet), max_length, causal, masks, precise, mlp_depth, keep_all, budget)
