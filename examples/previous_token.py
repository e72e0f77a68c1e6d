"""A transformer built by hand: one head that copies the token before.

Writes previous_token.safetensors, reads it back, applies it and prints its size.
"""

import numpy as np

import capax
from capax.model.parts import Affine, Block, Head, Origin, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

LETTERS = "abc"


def build() -> capax.Model:
    """The model: it answers each token of a word with the one before it, and the first with a dash."""
    n = len(LETTERS)
    names = (*(f"is {x}" for x in LETTERS), *(f"was {x}" for x in LETTERS), "position")
    d = len(names)
    position = np.eye(d)[:, [d - 1]]  # the column of the direction that holds the position
    # Every query asks for the highest position, and the mask shows it only the positions before its own.
    head = Head(
        query=Affine(np.zeros((d, 1)), np.ones(1)),
        key=Affine(position, np.zeros(1)),
        value=Affine(np.eye(d, n), np.zeros(n)),
        output=np.eye(n, d, k=n),
        mask="strict past",
        scale=2048.0,  # so steep that the softmax is exactly 0 elsewhere
        name="before",
        origin=Origin("the token at the position before"),
    )
    # The first query sees nothing and reads zeros, so that the dash wins with its half.
    readout = Affine(np.eye(d, n + 1, k=-n) * (np.arange(n + 1) < n), np.array([0.0] * n + [0.5]))
    return capax.Model(
        vocabulary=Vocabulary(tuple(LETTERS)),
        embedding=np.eye(n, d),
        positions=Positions(("i",), position.T),
        blocks=(Block((head,), np.zeros(d)),),
        readout=Readout(readout),
        decoding=Classes((*LETTERS, "-")),
        names=names,
        provenance=Provenance(program='previous = shift(tokens, 1, "-");'),
    )


if __name__ == "__main__":
    build().save("previous_token.safetensors")
    model = capax.load_model("previous_token.safetensors")
    assert model == build()
    print(model("abcab"))
    print(model)
