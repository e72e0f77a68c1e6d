"""Certificates of models that no compiler made: built by hand, or imported."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from capax.certify.certificate import Certificate, with_help
from capax.certify.length_search import Proofs, least_length
from capax.certify.systems import SYSTEMS
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.provenance import HeadClaim, RecordedDomain
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.triple_nodes import HEAD_SOPS
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
    spec = output_spec(program.node, model.vocabulary.tokens, causal=causal, longest=longest)
    order = {node: number for number, node in enumerate(topological(spec.root))}
    claims = tuple(
        tuple(HeadClaim(tuple(_number(part, spec.node_map, order) for part in parts)) for parts in block)
        for block in heads
    )
    words = RecordedDomain(model.vocabulary.tokens, longest, causal)
    origin = replace(model.provenance, program=program.to_text(), name=program.name, domain=words, heads=claims)
    hinted = replace(model, max_length=longest, provenance=origin)
    verdicts = with_help(Proofs(hinted, spec).verdicts(SYSTEMS))
    certificate = Certificate.of(spec.typed, least_length(hinted), verdicts)
    return replace(hinted, provenance=replace(origin, certificate=certificate.to_json()))


def _number(part: Program, node_map: Mapping[Node, Node], order: dict[Node, int]) -> int:
    """The number of an aggregate or width among the nodes of the program."""
    node = node_map.get(part.node, part.node)
    if not isinstance(node, HEAD_SOPS) or node not in order:
        raise CapaxError(
            "not-certified",
            f"`{describe(part.node)}` is not an aggregate or width of the program",
            hint="name what the head computes as the program has it",
        )
    return order[node]
