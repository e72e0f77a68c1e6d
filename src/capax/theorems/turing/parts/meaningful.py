"""Statistically meaningful approximation: what the construction of a machine gives of it, in examples.

Wei, Chen and Ma (2021) ask more of a class of networks than that some member computes a function. F approximates a
function g in a statistically meaningful way, with n examples and error eps, if for every distribution of inputs whoever
fits n examples with a member of F (by some loss, to the end) errs on new inputs with probability at most eps, almost
surely over the examples. They show it for transformers and Turing machines that halt within T steps, with a number of
examples that is polynomial in states, symbols and log T, and does not grow with the size of the network.

What follows from a construction alone is Occam's bound. Let F be all models of one shape whose W weights have p bits:
at most 2^(W p) functions, one of which is right on every input. A wrong one of error above eps fits n examples with
probability below (1 - eps)^n <= e^(-eps n); with n >= (W p ln 2 + ln(1/delta)) / eps no such one does, with probability
1 - delta. Here W grows with states times symbols and not with T, and p as log T. What this does not give: a bound that
stays when the network is made larger, weights that are real numbers, margins (robustness of the fit), and any word on
whether training finds a member that fits.
"""

import math


def examples_enough(weight_bits: int, error: float, failure: float) -> int:
    """Examples with which every model of a shape of so many bits that fits them errs with probability below `error`.

    With probability 1 - `failure` over independent examples of one distribution, whichever it is.
    """
    assert weight_bits >= 0
    assert 0 < error < 1
    assert 0 < failure < 1
    return math.ceil((weight_bits * math.log(2) + math.log(1 / failure)) / error)
