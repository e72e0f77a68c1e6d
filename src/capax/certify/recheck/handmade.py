"""Certificates of models that no compiler made: built by hand, or imported."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from capax.certify.certificate import certificate
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.provenance import HeadClaim, RecordedDomain
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, SOpNode, Width
from capax.rasp.python.program import Program


def certify_model(
    model: Model,
    program: Program,
    heads: Sequence[Sequence[Sequence[Program]]],
    *,
    max_length: int | None = None,
    causal: bool = False,
) -> Model:
    """The model with a program, what its heads compute, and the certificate of both in its provenance.

    `heads` has for each block and each head the aggregates that it computes, one for each of its value columns, all of
    one selector; or the one width that it counts. `max_length` is the greatest length, where the model itself has none.
    A model of which nothing can be proved has a certificate that says so, with the reason: see its `verdicts`.
    """
    longest = max_length if model.max_length is None else model.max_length
    if longest is None or longest < 1:
        raise CapaxError("not-certified", "the model has no greatest length", hint="give max_length")
    if not isinstance(program.node, SOpNode):
        raise CapaxError("not-certified", "a selector has no answers", hint="give an s-op")
    wanted = output_spec(program.node, model.vocabulary.tokens, causal=causal)
    became = wanted.node_map
    order = {node: number for number, node in enumerate(topological(wanted.root))}
    claims = tuple(
        tuple(HeadClaim(tuple(_number(part, became, order) for part in parts)) for parts in block) for block in heads
    )
    words = RecordedDomain(model.vocabulary.tokens, longest, causal)
    origin = replace(model.provenance, program=program.to_text(), name=program.name, domain=words, heads=claims)
    made = replace(model, max_length=longest, provenance=origin)
    return replace(made, provenance=replace(origin, certificate=certificate(made, wanted)))


def _number(part: Program, became: Mapping[Node, Node], order: dict[Node, int]) -> int:
    """The number of an aggregate or width among the nodes of the program."""
    node = became.get(part.node, part.node)
    if not isinstance(node, (Aggregate, Width)) or node not in order:
        raise CapaxError(
            "not-certified",
            f"`{describe(part.node)}` is no aggregate or width of the program",
            hint="name what the head computes as the program has it",
        )
    return order[node]
