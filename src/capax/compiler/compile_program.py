"""From a program to a compiled model: it runs the pipeline, and again with other settings where the first try fails.

Tried again are the passes with all floats listed, where counts will not do, and those in float64, for a hint.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from capax.compiler.analysis.exhaustion import exhaust
from capax.compiler.analysis.value_sets import no_float
from capax.compiler.check.agreement import agreement, random_words, short_words
from capax.compiler.compiled import Compiled, Passes
from capax.compiler.domain import CompileSettings, Domain, Dtype
from capax.compiler.encode.output_type import certified_spec
from capax.compiler.node_meanings.node_names import SourceNotes
from capax.compiler.pipeline import to_model, with_evidence
from capax.compiler.rejections import WIDER, check_compilable, check_size, too_few_digits
from capax.compiler.rounding.confused_words import confusion, explained
from capax.compiler.what_helps import with_what_helps
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.unroll import without_constant_loops
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
        raise with_what_helps(explained(error, settings), root, settings, _built) from None
    try:
        return replace(_with_best_evidence(program, root, passes, settings), assumption=settings.assume)
    except CapaxError as error:
        if error.code != "compiled-wrong":
            raise
        raise too_few_digits(error, settings, _right_in(program, root, settings)) from None


def _with_best_evidence(program: Program, root: SOpNode, passes: Passes, settings: CompileSettings) -> Compiled:
    """The model with what is known of it; where it cannot be certified whole, perhaps one with other lists of values.

    Where one float stands for several, models are small, and the numbers of a model that lists them all may be further
    from each other. The one that is certified at the greater length is taken.
    """
    if not passes.analysis.merged or settings.target is not None:
        return with_evidence(program, root, passes, settings)
    error: CapaxError | None = None
    models: list[Compiled] = []
    try:
        models.append(with_evidence(program, root, passes, settings))
        if not settings.certify or models[0].certified_length == settings.max_length:
            return models[0]
    except CapaxError as failure:
        error = failure
    with suppress(CapaxError):
        other = build(root, settings, program.names(), _locations(program), merge=False)
        models.append(with_evidence(program, root, other, settings))
    if error is not None and not models:
        raise error
    return max(models, key=lambda model: model.certified_length)


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


def _built(root: SOpNode, settings: CompileSettings) -> Passes:
    return build(root, settings, {})


def build(
    root: SOpNode,
    domain: Domain,
    names: Mapping[Node, str],
    locations: Mapping[Node, str] | None = None,
    *,
    merge: bool = True,
) -> Passes:
    """The passes from a node to its model on a domain; `locations` are the nodes' locations in a source.

    Counts that programs compute as products are taken for the integers that they are, and results of an operation that
    differ by rounding only for one number (with `merge`). Where that is rejected, since
    rounding shows or a table is needed, all floats are listed instead, if they are few enough. Where that is rejected,
    too, the program is run on all words, if these are few.
    """
    notes = SourceNotes(names, statement_names(root, names), locations or {})
    try:
        spec = output_spec(root, domain.alphabet, causal=domain.causal, longest=domain.max_length)
        try:
            return to_model(spec, domain, notes, floats=False, merge=merge)
        except CapaxError as error:
            if error.code not in ("rests-on-rounding", "too-many-values"):
                raise
            first = error
        if merge and first.data.get("merged"):
            try:
                return to_model(spec, domain, notes, floats=False, merge=False)
            except CapaxError as error:
                first = error
        if first.code == "rests-on-rounding" or first.data.get("sums"):
            with suppress(CapaxError):
                return to_model(spec, domain, notes, floats=True)
        return _by_all_words(spec, domain, notes, first)
    except OverflowError:
        raise no_float("the model would need a number") from None


def _by_all_words(spec: OutputSpec, domain: Domain, notes: SourceNotes, first: CapaxError) -> Passes:
    """The passes with the values that the program has on all words, where bounds refuse it and words are few.

    Where words are many, and none that is tried shows that rounding decides a comparison, it is assumed not to.
    """
    words = exhaust(spec.value, domain)
    if words is None:
        return _untied(spec, domain, notes, first)
    try:
        return to_model(spec, domain, notes, floats=True, words=words)
    except CapaxError as error:
        # what words show is nearer to the truth than a bound
        raise (error if _of_rounding(error) else first) from None


def _untied(spec: OutputSpec, domain: Domain, notes: SourceNotes, first: CapaxError) -> Passes:
    """The passes with comparisons assumed to be free of rounding, as long as no words show that one is not."""
    untied: frozenset[Node] = frozenset()
    error = first
    while error.code == "rests-on-rounding" and error.data["node"] not in untied and not _shown(error, domain):
        untied |= {error.data["node"]}
        try:
            return to_model(spec, domain, notes, floats=False, merge=False, untied=untied)
        except CapaxError as failure:
            error = failure
    raise first if error.code == "rests-on-rounding" and error.data["node"] in untied else error


def _shown(error: CapaxError, domain: Domain) -> bool:
    """Whether two words show that rounding decides an outcome, or none can be tried."""
    tried = confusion(error, domain)
    return tried is None or tried[0] is not None


def _of_rounding(error: CapaxError) -> bool:
    return error.code == "rests-on-rounding" or bool(error.data.get("coarse"))


def _for_target(program: Program, root: SOpNode, settings: CompileSettings) -> Passes:
    """The passes for the target of the settings; if float32 is too coarse, the error says whether float64 would do."""
    locations = _locations(program)
    try:
        if settings.target is not None:
            root = without_constant_loops(root)
        if has_loop(root):
            from capax.compiler.looped.build_loop import build_loop

            return build_loop(root, settings, program.names(), locations)
        if settings.target is None:
            return build(root, settings, program.names(), locations)
        from capax.compiler.target.build_for_target import build_for  # it takes as long to import as to compile

        return build_for(settings.target, root, settings, program.names(), locations)
    except CapaxError as error:
        if not error.data.get("coarse"):
            raise
        last: CapaxError | None = None
        for dtype in WIDER[settings.dtype]:
            wider = _in_wider(program, root, settings, dtype)
            if isinstance(wider, Passes):
                error.hint = f'compile with dtype="{dtype}", in which it can be compiled; or {error.hint}'
                raise
            last = wider
        if last is not None and not _of_rounding(last):
            raise last from None  # more digits would not help
        raise


def _locations(program: Program) -> dict[Node, str]:
    """The locations of the nodes in the program's source."""
    constructions = program.construction.everything()
    return {entry.node: entry.span.location for entry in constructions if entry.span is not None}


def _in_wider(program: Program, root: SOpNode, settings: CompileSettings, dtype: Dtype) -> Passes | CapaxError:
    """The passes in another number system, or why there are none."""
    try:
        return _for_target(program, root, replace(settings, dtype=dtype))
    except CapaxError as error:
        return error


def _right_in(program: Program, root: SOpNode, settings: CompileSettings) -> Dtype | None:
    """The first wider number system in which the model gives the program's answers, where the settings' does not."""
    for dtype in WIDER[settings.dtype]:
        passes = _in_wider(program, root, settings, dtype)
        if isinstance(passes, Passes):
            typed = certified_spec(passes.spec).typed
            if agreement(passes.model, root, passes.domain, typed=typed, words=settings.words).holds:
                return dtype
    return None
