"""The compiler, pass by pass: each takes frozen values and returns frozen values. All spend from one work budget.

`capax.compile` calls `compile_program`, in the file of that name. It has the program rewritten to an output spec
(`rasp/rewrite/`), calls `to_model`, again with other settings where the first try is rejected, and then
`with_evidence`. For a tool that lacks something, `target/` wraps `to_model`. `capax stages PROGRAM` prints what each
pass gives.
"""

from dataclasses import replace

from capax.budget import Budget
from capax.certify import NOT_TRIED, Certificate, certify
from capax.compiler.analysis.analyse import analyse
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.analysis.exhaustion import Exhaustion
from capax.compiler.check.agreement import agreement
from capax.compiler.check.causal_change import causal_change
from capax.compiler.check.possible_errors import PossibleFailure, errors_of
from capax.compiler.compiled import Compiled, Passes
from capax.compiler.domain import CompileSettings, Domain
from capax.compiler.encode.output_type import certified_spec, with_types
from capax.compiler.layer_schedule import LayerSchedule, schedule
from capax.compiler.layout.assemble import assemble
from capax.compiler.layout.lay_out import lay_out
from capax.compiler.layout.network import Network
from capax.compiler.layout.slots import SlotLayout
from capax.compiler.node_meanings.node_names import SourceNotes, titles_of
from capax.compiler.plan_network import plan_network
from capax.compiler.rejections import compiled_wrong, not_certified
from capax.compiler.rounding.rounding_check import RoundingBounds, check_rounding
from capax.compiler.rounding.settled import untied_assumptions
from capax.errors import CapaxError
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.python.program import Program
from capax.report import Report


def to_model(
    spec: OutputSpec,
    domain: Domain,
    notes: SourceNotes,
    *,
    floats: bool,
    words: Exhaustion | None = None,
    untied: frozenset[Node] = frozenset(),
    merge: bool = True,
) -> Passes:
    """The passes from the output spec of a program to a model.

    The spec has the program already rewritten: `spec.value` is the node of the answers, and `spec.root` the node that
    is compiled, which is the same, or has the type of the answers beside their value. `spec.node_map` leads from the
    nodes of the source to the rewritten ones. A product such as mean times length, which programs count with, is taken
    for the integer that it is; with `floats` its floats are listed one by one instead. With `merge`, one float stands
    for results that differ by rounding only. After a first try was rejected for rounding, `compile_program` may give
    `words`, which stand for all of the domain (a value that bounds leave open is then computed on them), or `untied`,
    comparisons of which it is assumed that rounding does not decide them.
    """
    budget = Budget.of_units(domain.budget)
    # the values that every node can have on the words of the domain
    analysis: Analysis = analyse(spec.value, domain, budget, floats=floats, words=words, merge=merge)
    try:
        # a gate: a program whose answers would rest on rounding is rejected
        rounding: RoundingBounds = check_rounding(spec.value, analysis, budget, untied)
        # where the type of the answers varies: a spec and an analysis whose root computes it too, with the same gate
        spec, analysis = with_types(spec, analysis, budget)
        # the attention layer of every node, those of the type among them
        layers: LayerSchedule = schedule(spec.root, analysis)
        source = notes.for_rewritten(spec.node_map)
        titles = titles_of(source, spec)
        # heads and MLPs over named signals: attention/ and encode/
        network: Network = plan_network(spec, analysis, layers, titles, source, budget)
        # a slot of the residual stream for every signal
        layout: SlotLayout = lay_out(network, budget)
        # weight matrices, the readout (from the stream to the answers) among them; heads record the numbers of the
        # nodes that they compute; with a shift, one number holds the value of the answer and its type
        # (`OutputSpec.shift`), and the readout takes it apart
        numbering = {node: number for number, node in enumerate(topological(spec.root))}
        model: Model = assemble(network, layout, numbering, spec.shift)
    except CapaxError as error:
        # whether `compile_program` may try with `floats`, or without `merge`
        error.data = {**error.data, "sums": bool(analysis.sums), "merged": bool(analysis.merged)}
        raise
    return Passes(spec, analysis, rounding, layers, titles, network, layout, model)


def with_evidence(program: Program, root: SOpNode, passes: Passes, settings: CompileSettings) -> Compiled:
    """The model with what is known of it; a model that is wrong, or not certified where it must be, is rejected.

    `root` is the source's own node: the comparison is with the program as written. The certificate is about the spec,
    so it trusts the rewriting from one to the other, which tests compare with the definition of the language.
    """
    # the spec of the certificate: without the type of the answers where the model's file cannot name it
    model, domain, spec = passes.model, passes.domain, certified_spec(passes.spec)
    # model and program compared on short, random and hard words; those on which it raises an error are left out
    check: Report = agreement(model, root, domain, typed=spec.typed, words=settings.words)
    if check.counterexample is not None:
        raise compiled_wrong(check)
    # comparisons that bounds do not settle, and of which no word that was tried shows that rounding decides them
    check = replace(check, assumptions=untied_assumptions(passes.rounding.untied))
    # the errors that the program may raise on words of the domain, each with such a word if `agreement` met one
    errors: tuple[PossibleFailure, ...] = tuple(errors_of(passes.analysis, check.figures["fails"], domain))
    # a causal model computes the program with later positions hidden: the first word on which that changes the answer
    change = causal_change(root, domain) if domain.causal else None
    compiled = Compiled(program, passes, check, errors, change, NOT_TRIED)
    if settings.certify:  # True, False, or "require"
        # a proof from weights and spec, with a work budget of its own: the length up to which every answer is right,
        # in each number system; `certified_length` is the one in the model's own
        # (a program with a loop: `looped/` built `passes.loop` around these passes, which are those of its coda)
        whole = spec if passes.loop is None else replace(passes.loop.spec, coda=spec)
        certificate: Certificate = certify(compiled.model, whole)
        compiled = replace(compiled, certificate=certificate)
    if settings.certify == "require" and compiled.certified_length < domain.max_length:
        raise not_certified(compiled)
    return compiled
