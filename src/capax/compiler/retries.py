"""What is tried again: the passes with all floats listed, where counts will not do; and in float64, for a hint."""

from collections.abc import Mapping
from dataclasses import replace

from capax.compiler.analysis.value_sets import no_float
from capax.compiler.check.agreement import agreement, random_words, short_words
from capax.compiler.compiled import Compiled, Passes
from capax.compiler.domain import CompileSettings, Domain
from capax.compiler.encode.output_type import certified_spec
from capax.compiler.node_names import SourceNotes
from capax.compiler.pipeline import to_model, with_evidence
from capax.compiler.rejections import RIGHT_IN_FLOAT64, check_compilable, check_size
from capax.compiler.rounding.confused_words import explained
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.python.program import Program, SOp
from capax.rasp.rewrite.assumptions import assuming, broken_on
from capax.rasp.text.graph_to_syntax import statement_names


def compile_program(program: Program, settings: CompileSettings) -> Compiled:
    """The program as a model with its evidence; a program or model that does not meet the settings is rejected."""
    root = check_compilable(program)
    check_size(root, settings)
    if settings.assume is not None:
        program = assumed(program, settings)
        root = check_compilable(program)
    try:
        passes = _for_target(program, root, settings)
    except CapaxError as error:
        raise explained(error, settings) from None
    try:
        return replace(with_evidence(program, root, passes, settings), assumption=settings.assume)
    except CapaxError as error:
        if error.code == "compiled-wrong" and _right_in_float64(program, root, settings):
            error.hint = RIGHT_IN_FLOAT64
        raise


def assumed(program: Program, settings: CompileSettings) -> Program:
    """What a program is on words that keep the assumption; it is compared with the program on some of them."""
    assert settings.assume is not None
    root, promise = check_compilable(program), check_compilable(settings.assume)
    new = assuming(root, promise, settings.max_length)
    words = [*short_words(settings, settings.words)[0], *random_words(settings, settings.words, 0)]
    words = [word for word, broken in zip(words, broken_on(promise, words), strict=True) if not broken]
    for word, one, two in zip(words, evaluate_batch(root, words), evaluate_batch(new, words), strict=True):
        if not isinstance(one, CapaxError) and one != two:
            raise CapaxError("compiled-wrong", f"on the word {list(word)!r:.80} the assumption changes an answer")
    return SOp(new, Construction(new, (), None, program.name))


def build(
    root: SOpNode, domain: Domain, names: Mapping[Node, str], locations: Mapping[Node, str] | None = None
) -> Passes:
    """The passes from a node to its model on a domain; `locations` are the nodes' locations in a source.

    Counts that programs compute as products are taken for the integers that they are. Where that is rejected, since
    rounding shows or a table is needed, all floats are listed instead, if they are few enough.
    """
    notes = SourceNotes(names, statement_names(root, names), locations or {})
    try:
        spec = output_spec(root, domain.alphabet, causal=domain.causal, longest=domain.max_length)
        try:
            return to_model(spec, domain, notes, floats=False)
        except CapaxError as error:
            if error.code != "rests-on-rounding" and not (error.code == "too-many-values" and error.data.get("sums")):
                raise
            first = error
        try:
            return to_model(spec, domain, notes, floats=True)
        except CapaxError:
            raise first from None
    except OverflowError:
        raise no_float("the model would need a number") from None


def _for_target(program: Program, root: SOpNode, settings: CompileSettings) -> Passes:
    """The passes for the target of the settings; if float32 is too coarse, the error says whether float64 would do."""
    constructions = program.construction.everything()
    locations = {entry.node: entry.span.location for entry in constructions if entry.span is not None}
    try:
        if settings.target is None:
            return build(root, settings, program.names(), locations)
        from capax.compiler.target.build_for_target import build_for  # it takes as long to import as to compile

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
        return _for_target(program, root, replace(settings, dtype="float64"))
    except CapaxError:
        return None


def _right_in_float64(program: Program, root: SOpNode, settings: CompileSettings) -> bool:
    """Whether the model in float64 gives the program's answers, where the one in float32 does not."""
    passes = _in_float64(program, root, settings)
    if passes is None:
        return False
    typed = certified_spec(passes.spec).typed
    return agreement(passes.model, root, passes.domain, typed=typed, words=settings.words).holds
