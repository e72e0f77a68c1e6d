"""The compiler on one screen: every pass is a function from one frozen type to the next.

Source -> output spec -> analysis -> rounding -> output type -> schedule -> network -> layout -> model, then what is
known of the model: check, possible errors, certificate. `capax stages` prints what each of them gives.
"""

from collections.abc import Mapping
from dataclasses import replace

from capax.budget import Budget
from capax.certify.certificate import NONE
from capax.certify.parts.sink_token import certificate_of
from capax.compiler.analysis.analyse import analyse
from capax.compiler.analysis.values import no_float
from capax.compiler.check.agreement import agreement
from capax.compiler.check.causal_change import causal_change
from capax.compiler.check.witnesses import errors_of
from capax.compiler.compiled import Compiled, Passes
from capax.compiler.domain import CompileSettings, Domain
from capax.compiler.encode.output_type import certified_spec, with_types
from capax.compiler.layout.assemble import assemble
from capax.compiler.layout.slots import lay_out
from capax.compiler.plan import plan
from capax.compiler.rejections import check_compilable, check_size, compiled_wrong, not_certified
from capax.compiler.rounding.check import check_rounding
from capax.compiler.schedule import schedule
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.python.program import Program


def compile_program(program: Program, settings: CompileSettings) -> Compiled:
    """The program as a model with its evidence; a program or model that does not meet the settings is rejected."""
    root = check_compilable(program)
    check_size(root, settings)
    passes = _passes(program, root, settings)
    domain, spec = passes.domain, certified_spec(passes.spec)
    check = agreement(passes.model, root, domain, typed=spec.typed, words=settings.words)
    if check.counterexample is not None:  # where no word has a value there is nothing to compare
        raise compiled_wrong(check, _right_in_float64(program, root, settings))
    errors = tuple(errors_of(passes.analysis, check.figures["fails"], domain))
    change = causal_change(root, domain) if domain.causal else None
    compiled = Compiled(program, passes, check, errors, change, NONE)
    if settings.certify:
        compiled = replace(compiled, certificate=certificate_of(compiled.model, spec))
    if settings.certify == "require" and compiled.certified_length < domain.max_length:
        raise not_certified(compiled)
    return compiled


def build(
    root: SOpNode, domain: Domain, names: Mapping[Node, str], locations: Mapping[Node, str] | None = None
) -> Passes:
    """The passes from a node to its model on a domain; `locations` are the nodes' locations in a source.

    Counts that programs compute as products are taken for the integers that they are. Where that is rejected, since
    rounding shows or a table is needed, all floats are listed instead, if they are few enough.
    """
    try:
        spec = output_spec(root, domain.alphabet, causal=domain.causal)
        try:
            return _attempt(spec, domain, names, locations or {}, floats=False)
        except CapaxError as error:
            if error.code != "rests-on-rounding" and not (error.code == "too-many-values" and error.data.get("sums")):
                raise
            first = error
        try:
            return _attempt(spec, domain, names, locations or {}, floats=True)
        except CapaxError:
            raise first from None
    except OverflowError:
        raise no_float("the model would need a number") from None


def _attempt(
    spec: OutputSpec, domain: Domain, names: Mapping[Node, str], locations: Mapping[Node, str], *, floats: bool
) -> Passes:
    """The passes, with the interpreter's floats listed or not; an error notes whether products were taken for sums."""
    budget = Budget.of_units(domain.budget)
    analysis = analyse(spec.value, domain, budget, floats=floats)
    try:
        rounding = check_rounding(spec.value, analysis, budget)
        spec, analysis = with_types(spec, analysis, budget)
        layers = schedule(spec.root, analysis)
        titles = _carried_over(names, spec)
        if spec.value in titles:
            titles[spec.root] = titles[spec.value]
        network = plan(spec, analysis, layers, titles, _carried_over(locations, spec), budget)
        layout = lay_out(network, budget)
        numbering = {node: number for number, node in enumerate(topological(spec.root))}
        model = assemble(network, layout, numbering, spec.shift)
    except CapaxError as error:
        error.data = {**error.data, "sums": bool(analysis.sums)}
        raise
    return Passes(spec, analysis, rounding, layers, titles, network, layout, model)


def _carried_over(notes: Mapping[Node, str], spec: OutputSpec) -> dict[Node, str]:
    """Notes about the nodes of a program, for the nodes that they became."""
    return {spec.node_map.get(old, old): note for old, note in notes.items()}


def _passes(program: Program, root: SOpNode, settings: CompileSettings) -> Passes:
    """The passes for the target of the settings; if float32 is too coarse, the error says whether float64 would do."""
    locations = {w.node: w.span.place for w in program.written.everything() if w.span is not None}
    try:
        if settings.target is None:
            return build(root, settings, program.names(), locations)
        from capax.compiler.target.target import build_for  # it takes as long to import as to compile

        return build_for(settings.target, root, settings, program.names(), locations)
    except CapaxError as error:
        if error.data.get("coarse") and _in_float64(program, root, settings) is not None:
            error.hint = f'compile with dtype="float64", in which it can be compiled; or {error.hint}'
        raise


def _in_float64(program: Program, root: SOpNode, settings: CompileSettings) -> Passes | None:
    """The passes in float64, where the settings have float32 and float64 can be compiled."""
    if settings.dtype == "float64":
        return None
    try:
        return _passes(program, root, replace(settings, dtype="float64"))
    except CapaxError:
        return None


def _right_in_float64(program: Program, root: SOpNode, settings: CompileSettings) -> bool:
    """Whether the model in float64 gives the program's answers, where the one in float32 does not."""
    passes = _in_float64(program, root, settings)
    if passes is None:
        return False
    typed = certified_spec(passes.spec).typed
    return agreement(passes.model, root, passes.domain, typed=typed, words=settings.words).holds
