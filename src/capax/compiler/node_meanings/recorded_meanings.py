"""What the parts of a model stand for, by the program in its file: variables, and notes on heads in whole sentences."""

from collections.abc import Sequence

from capax.certify.recheck.recheck import program_in, spec_of
from capax.compiler.domain import domain
from capax.compiler.node_meanings.node_names import SourceNotes, titles_of
from capax.compiler.node_meanings.node_notes import HeadNodes, node_notes
from capax.compiler.node_meanings.variables import ProgramNames, variables_of
from capax.errors import CapaxError
from capax.model.export.target import Meanings
from capax.model.interpretability.graph import head_name
from capax.model.interpretability.lens_model import lens_model
from capax.model.model import REUSED, Model
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, SOpNode, Width
from capax.rasp.text.graph_to_syntax import statement_names

LONGEST = 1_000
"""Variables are not read from a model of longer words."""


def recorded_meanings(model: Model, *, budget: int | None = None) -> Meanings:
    """What the program in the file of a plain model says of its parts; `why_not` where its variables are not known."""
    try:
        program, causal = program_in(model, budget=budget)
        assert isinstance(program.node, SOpNode)
        spec = spec_of(model, program.node, causal=causal)
    except CapaxError as error:
        return Meanings(why_not=error.what)
    if not isinstance(spec, OutputSpec):
        return Meanings(why_not="the program has a loop")
    names = program.names()
    source = SourceNotes(names, statement_names(program.node, names), {}).for_rewritten(spec.node_map)
    named = ProgramNames(spec.value, titles_of(source, spec))
    heads = _claimed_nodes(model, topological(spec.root))
    notes = {} if heads is None else node_notes(named.titles, heads, model)
    notes = {name: text for name, text in notes.items() if name in _heads(model)}
    reason = _why_no_variables(model)
    if reason is not None:
        return Meanings(notes=notes, why_not=reason)
    recorded = model.provenance.domain
    assert recorded is not None, "there is one beside a program"
    try:
        words = domain(recorded.alphabet, model.max_length or 1, causal=causal)
        variables = variables_of(named, words, model, lens_model(model))
    except CapaxError as error:
        return Meanings(notes=notes, why_not=error.what)
    return Meanings(notes=notes, variables=tuple(variable.to_json() for variable in variables))


def _why_no_variables(model: Model) -> str | None:
    if any(REUSED in name for name in model.names):
        return "the model reuses directions; compile it with keep_all=True, or --keep-all"
    if model.readout.norm is not None:
        return "the model has norms"
    if model.max_length is None or model.max_length > LONGEST:
        return f"its words are longer than {LONGEST:,}"
    return None


def _heads(model: Model) -> set[str]:
    return {head_name(layer, number) for layer, block in enumerate(model.blocks) for number in range(len(block.heads))}


def _claimed_nodes(model: Model, order: Sequence[Node]) -> HeadNodes | None:
    """The nodes that the file says the heads compute; None where it does not say so, or is damaged."""
    claims = [block for block in model.provenance.heads or () if block]
    heads = [block.heads for block in model.blocks if block.heads]
    if [len(block) for block in claims] != [len(block) for block in heads]:
        return None
    numbers = [number for block in claims for claim in block for number in claim.computes]
    if not all(0 <= n < len(order) and isinstance(order[n], Aggregate | Width) for n in numbers):
        return None
    return [[[order[number] for number in claim.computes] for claim in block] for block in claims]
