"""From a model back to a program: what its heads select, what they average, and what is made of it.

`white_box` reads compiled networks head by head; `black_box` learns what a trained recogniser computes from its
answers. Either way the program is a hypothesis, which the audit then proves or refutes.
"""
