"""`capax.compile`: the compiler as one function."""

from collections.abc import Iterable
from dataclasses import replace

from capax.compiler.compile_program import compile_program
from capax.compiler.compiled import Compiled
from capax.compiler.domain import Certify, CompileSettings, Dtype, read_alphabet
from capax.compiler.rejections import check_compilable
from capax.rasp.ir.build_pads import inner
from capax.rasp.ir.nodes import Padded
from capax.rasp.ir.pad_node import pads_at
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import Program


def compile(
    program: Program,
    *,
    alphabet: Iterable[Atom],
    max_length: int,
    causal: bool = False,
    masks: bool = True,
    dtype: Dtype = "float32",
    mlp_depth: int | None = None,
    keep_all: bool = False,
    budget: int = 20_000,
    target: str | None = None,
    certify: Certify = True,
    words: int = 150,
    assume: Program | None = None,
) -> Compiled:
    """The program as a transformer that is right on every word of 1 to `max_length` tokens of the alphabet.

    Compilation ends with a check against the program and with a certificate. Where the model cannot be certified at its
    full length, the `label` of the result says so.

    Args:
        program: the s-op to compile. If it has pads, the model reads words with their pause tokens; `Compiled` and
            `capax apply` add them, and leave their answers out.
        alphabet: the tokens that words consist of: a string, or a list of strings, numbers or bools.
        max_length: the length of the longest words.
        causal: no position sees a later one.
        masks: heads may have masks of their own; without them, comparisons of positions become tables.
        dtype: the number system of the weights, "float32", "float64" or "bfloat16"; for the 8 digits of bfloat16, codes
            and counts are split into small ones.
        mlp_depth: the maximum number of hidden layers of an MLP; None for any number.
        keep_all: every value keeps a direction of the residual stream of its own; otherwise directions are reused.
        budget: how much work and memory compiling may take, in units of 100 steps.
        target: the tool that the model is for, "transformer-lens", "hf" or "plain"; None for capax itself.
        certify: whether to prove the model right, or to require a proof at its full length: True, False or "require",
            which rejects a model that cannot be certified there.
        words: compare the model with the program on about three times this many words.
        assume: an s-op that is promised to be true at all positions of all words. What is used of it are parts
            `selector_width(s) == c`; `Compiled` and `capax apply` reject a word that breaks it.

    >>> import capax
    >>> from capax import tokens, select, selector_width
    >>> hist = selector_width(select(tokens, tokens, "=="))
    >>> capax.compile(hist, alphabet="ab", max_length=5)("abaa")
    [3, 1, 3, 3]
    """
    check_compilable(program)
    program, pads = inner(program)
    letters = read_alphabet(alphabet)
    if pads is not None:
        letters, max_length = with_pads(pads, letters, max_length)
    settings = CompileSettings(
        alphabet=letters,
        max_length=max_length,
        causal=causal,
        masks=masks,
        dtype=dtype,
        mlp_depth=mlp_depth,
        keep_all=keep_all,
        budget=budget,
        target=target,
        certify=certify,
        words=words,
        assume=assume,
    )
    compiled = compile_program(program, settings)
    return compiled if pads is None else replace(compiled, pads=pads)


def with_pads(pads: Padded, letters: tuple[Atom, ...], longest: int) -> tuple[tuple[Atom, ...], int]:
    """The tokens and the greatest length that a model reads of the words of a domain, with their pause tokens."""
    if type(longest) is not int or longest < 1:
        return letters, longest  # rejected with the other settings
    same = any(token == pads.token and type(token) is type(pads.token) for token in letters)
    return letters if same else (*letters, pads.token), longest + pads_at(pads, longest)
