"""The words a model is made for, and the settings of a compilation: each is defined once, here, with its help text.

`app/commands/_compile_options.py` makes the options of the command line from the fields of `CompileSettings`.
"""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from capax.budget import STEPS_PER_UNIT, Budget, OverBudget
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.types import Atom, plain_atom
from capax.rasp.python.program import Program

Dtype: TypeAlias = Literal["float32", "float64", "bfloat16"]
Certify: TypeAlias = bool | Literal["require"]

HALF_TARGETS: Final = ("gguf", "llama", "mistral", "phi3", "qwen2")
"""The targets that hold models in bfloat16."""
DIGITS: Final[dict[Dtype, int]] = {"float32": 24, "float64": 53, "bfloat16": 8}
"""The binary digits of the number systems that models are compiled in."""

_OTHER: Final = {
    "float16": "float16 ends at 65,504, which positions and scores exceed: take bfloat16 for two bytes a number"
}
"""What to do where another number system is asked for."""
MOST_TOKENS = 100_000
LONGEST = 100_000
MOST_WORDS = 1_000_000


def _about(text: str, *choices: str) -> dict[str, Any]:
    """The metadata of a setting: its help text and, where the command line takes one of a few words, those."""
    return {"help": text, "choices": choices}


@dataclass(frozen=True)
class Domain:
    """All words of 1 to `max_length` tokens of the alphabet, and how they are to be computed."""

    alphabet: tuple[Atom, ...] = field(metadata=_about("The tokens that words consist of."))
    max_length: int = field(metadata=_about("The length of the longest words."))
    causal: bool = field(default=False, metadata=_about("No position sees a later one."))
    masks: bool = field(default=True, metadata=_about("Heads may have masks of their own."))
    dtype: Dtype = field(
        default="float32", metadata=_about("The number system of the weights.", "float32", "float64", "bfloat16")
    )
    mlp_depth: int | None = field(default=None, metadata=_about("The maximum number of hidden layers of an MLP."))
    keep_all: bool = field(
        default=False, metadata=_about("Every value keeps a direction of the residual stream of its own.")
    )
    budget: int = field(
        default=20_000, metadata=_about("How much work and memory compiling may take, in units of 100 steps.")
    )
    """Also the most values that one table may have."""

    def __post_init__(self) -> None:
        longest, depth, budget = self.max_length, self.mlp_depth, self.budget
        if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= LONGEST:
            raise CapaxError("bad-option", f"max_length is a number from 1 to {LONGEST:,}, not {longest!r:.40}")
        if self.dtype not in DIGITS:
            raise CapaxError(
                "bad-option",
                f"dtype is float32, float64 or bfloat16, not {self.dtype!r:.40}",
                hint=_OTHER.get(self.dtype, "for other number systems, compile in float32 and use Model.to"),
            )
        if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
            raise CapaxError("bad-option", f"mlp_depth is a positive number, not {depth!r:.40}")
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise CapaxError("bad-option", f"budget is a positive number, not {budget!r:.40}")

    @property
    def digits(self) -> int:
        """How many binary digits a number has."""
        return DIGITS[self.dtype]

    @property
    def exact_below(self) -> float:
        """Integers of at most this size are exact, and so are sums of a few of them."""
        return 2.0 ** (self.digits - 2)

    @property
    def best_below(self) -> float:
        """Scores of the best key stay below this: few digits leave little room for selectors and orders together."""
        return self.exact_below * (2 if self.dtype == "bfloat16" else 1)

    @property
    def unit(self) -> float:
        """The unit roundoff: how far, relatively, a number is rounded."""
        return 2.0**-self.digits

    @property
    def plain_below(self) -> float:
        """Numbers of up to so many times their distance may stand for themselves."""
        return 2.0 ** {"float32": 21, "float64": 45, "bfloat16": 5}[self.dtype]

    @property
    def comparable_below(self) -> float:
        """Numbers of up to so many times their distance can be compared by their difference."""
        return 2.0 ** {"float32": 18, "float64": 45, "bfloat16": 5}[self.dtype]

    @property
    def most_counted(self) -> int:
        """So many keys one head counts at most: its 1/(k + 1) must be told from 1/k."""
        return 5 if self.dtype == "bfloat16" else LONGEST

    @property
    def scale(self) -> float:
        """The factor of scores: with it the weight of an unselected key underflows to zero."""
        return 2048.0 if self.dtype == "float64" else 256.0


@dataclass(frozen=True)
class CompileSettings(Domain):
    """Every setting of `capax.compile` and `capax compile`."""

    target: str | None = field(
        default=None,
        metadata=_about("The tool that the model is for.", "transformer-lens", "hf", *HALF_TARGETS, "plain"),
    )
    certify: Certify = field(
        default=True,
        metadata=_about(
            "Whether to prove the model right, or to require a proof at its full length.", "yes", "no", "require"
        ),
    )
    words: int = field(
        default=150, metadata=_about("Compare the model with the program on about three times this many words.")
    )
    assume: Program | None = field(
        default=None, metadata=_about("An s-op that is promised to be true at all positions of all words.")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target not in (None, *HALF_TARGETS) and self.dtype == "bfloat16":
            raise CapaxError(
                "bad-option",
                f"a model for {self.target!r:.40} is compiled in float32 or float64, not in bfloat16",
                hint="leave out the target, or take llama, or compile in float32",
            )
        if self.certify not in (True, False, "require"):
            raise CapaxError("bad-option", f'certify is True, False or "require", not {self.certify!r:.40}')
        if isinstance(self.words, bool) or not isinstance(self.words, int) or not 0 <= self.words <= MOST_WORDS:
            raise CapaxError("bad-option", f"words is a number from 0 to {MOST_WORDS:,}, not {self.words!r:.40}")
        if self.assume is None:
            return
        if not isinstance(self.assume, Program) or not isinstance(self.assume.node, SOpNode):
            raise CapaxError("bad-option", f"assume is an s-op that is true or false, not {self.assume!r:.60}")
        if self.causal:
            hint = "a count that is 1 in a word is 0 before its key: compile without causal"
            raise CapaxError("bad-option", "an assumption is about whole words, a causal model sees parts", hint=hint)


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
    tokens: dict[tuple[type, object], Atom] = {}
    for item in items:
        atom = plain_atom(item)
        if atom is None or atom != atom:
            raise CapaxError(
                "bad-alphabet", f"{item!r:.60} is not a token", hint="tokens are strings, numbers or bools"
            )
        if isinstance(atom, int) and atom.bit_length() > 1000:
            what = f"the token is an integer of {atom.bit_length():,} bits, which no float can hold"
            raise CapaxError("bad-alphabet", what, hint="keep the tokens below about 1e300")
        if (type(atom), atom) in tokens:
            raise CapaxError("bad-alphabet", f"the token {item!r:.60} is there twice", hint="name each token once")
        tokens[type(atom), atom] = atom
    if not 1 <= len(tokens) <= MOST_TOKENS:
        raise CapaxError("bad-alphabet", f"an alphabet has 1 to {MOST_TOKENS:,} tokens, not {len(tokens):,}")
    return tuple(tokens.values())


def domain(alphabet: object, max_length: int, **settings: Any) -> Domain:
    """The domain of an alphabet and a length; the settings are the fields of `Domain`."""
    return Domain(read_alphabet(alphabet), max_length, **settings)


def no_digits(what: str, domain: Domain) -> CapaxError:
    """The error for integers that the number system of a domain has no room for."""
    most = f"{2**domain.digits:,}" if domain.digits < 24 else f"2^{domain.digits}"
    text = f"{what}, and {domain.dtype} has {domain.digits} binary digits: all integers up to {most}, not all beyond"
    return CapaxError("too-many-values", text, hint="shorten max_length or use fewer tokens", coarse=True)


def spend(budget: Budget, steps: int, node: Node | None) -> None:
    """Counts steps for an s-op or a selector: a value that is computed, a table's entry, a hundred weights."""
    try:
        budget.spend(steps)
    except OverBudget:
        where = "" if node is None else f" at `{describe(node)}`"
        units = f"a budget of {int(budget.steps) // STEPS_PER_UNIT:,} (units of {STEPS_PER_UNIT} steps)"
        raise CapaxError(
            "too-many-values",
            f"compiling takes more than {int(budget.steps):,} steps, {units}{where}",
            hint="shorten max_length, use fewer tokens, or raise the budget",
            node=node,
        ) from None
