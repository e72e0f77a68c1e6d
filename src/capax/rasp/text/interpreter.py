"""Runs statements: the host part of the language is executed, s-ops and selectors are built.

The evaluator is a trampoline over generators, one per expression being worked on, so that the
depth of expressions and calls is bounded by `Limits`, not by Python's stack.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.budget import STEPS_PER_UNIT, Budget
from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp.ir import build
from capax.rasp.ir.build import describe_value
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.triple_sum import TripleSum
from capax.rasp.ir.types import is_atom
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Sequence, Triples
from capax.rasp.python.program import Program, SOp
from capax.rasp.python.triple_selector import TripleSelector
from capax.rasp.text import operators as operate
from capax.rasp.text import syntax as s
from capax.rasp.text.primitives import BUILTINS, OVER_TRIPLES, check_builtin_count, check_count, primitive, wrong_count
from capax.rasp.text.run_repeat import run_repeat
from capax.rasp.text.scope import Scope
from capax.rasp.text.text_values import Applied, Builtin, Drawn, Function, Named, Outcome, Value

Steps: TypeAlias = Generator[Any, Value, Value]
"""A computation that hands over the sub-expressions it needs and is sent their values."""

Loader: TypeAlias = Callable[[str, Source, Scope, Span], None]
"""Carries out `load "path";` found in a source, into a scope."""


BUDGET: Final = 20_000
"""The usual budget: two million steps, a few seconds."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what a program may do while it is built.

    A step is a small part of a statement; an s-op or selector that is made counts as several, and so does a long
    list, string or integer. `remedy` is the hint of the error.
    """

    call_depth: int = 20_000
    steps: float = STEPS_PER_UNIT * BUDGET
    remedy: str = "use shorter loops and fewer calls, or raise the budget (--budget)"


def limits_of(budget: int) -> Limits:
    """The limits of a budget, in units of a hundred steps."""
    return Limits(steps=Budget.of_units(budget).steps)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where an expression is being run: its scope and its source."""

    scope: Scope
    source: Source
    called_at: Span | None = None

    def span(self, item: s.Syntax) -> Span:
        """The location of a piece of syntax; of a hidden source, that of the call."""
        return self.called_at or Span(self.source, *item.at)


def _no_loader(path: str, source: Source, scope: Scope, span: Span) -> None:
    raise CapaxError("file-not-found", f'files cannot be loaded here ("{path}")', span, path=path)


class Interpreter:
    """Runs statements in scopes.

    An assignment names what was written, for traces and pictures; an alias (`b = a;`) does not rename, unless the old
    name is private (`_a`) and the new one is not. Inside the sources in `hidden`, the standard library's, nothing is
    named, and errors point at the call from outside. With `classic`, lists are no s-ops and every assignment to a
    reserved name is an error, as in the reference.
    """

    def __init__(self, *, loader: Loader = _no_loader, limits: Limits | None = None, classic: bool = False) -> None:
        self.loader = loader
        self.limits = limits or Limits()
        self.classic = classic
        self.notices: list[Notice] = []
        """What is legal but may not be meant, in the statements that ran; whoever shows it takes it away."""
        self.intrinsics: dict[Function, Callable[..., SOp]] = {}
        self.operations: dict[Function, str] = {}
        """The functions of the standard library that are operations of the op table."""
        self.hidden: set[Source] = set()
        self._depth = 0
        self.renew_budget()

    def run(self, statement: s.Statement, scope: Scope, source: Source) -> list[Outcome]:
        """What a statement leaves to be shown; names are bound in the scope."""
        self._depth = 0
        outcomes: list[Outcome] = self._drive(self._statement(statement, _Frame(scope, source)))
        if outcomes and not isinstance(outcomes[-1], Drawn):
            scope.variables["out"] = outcomes[-1].value
        return outcomes

    def evaluate(self, expr: s.Expr, scope: Scope, source: Source) -> Value:
        """The value of an expression."""
        self._depth = 0
        return self._drive(self._expr(expr, _Frame(scope, source)))

    def call(self, function: Function | Builtin, args: list[Value], span: Span) -> Value:
        """The value of a function on arguments."""
        self._depth = 0
        return self._drive(self._call(function, args, span))

    def renew_budget(self) -> None:
        """Lets the next statements take the whole budget again."""
        self._budget = Budget(self.limits.steps)
        self.is_spent = False
        """Whether the budget has been used up."""

    def _drive(self, first: Steps) -> Any:
        """Runs a computation to its end, with an explicit stack."""
        stack: list[Steps] = [first]
        value: Any = None
        while stack:
            self._spend(1)
            try:
                request = stack[-1].send(value)
            except StopIteration as done:
                stack.pop()
                value = done.value
                self._spend(_weight(value))
                continue
            value = None
            if isinstance(request, tuple):
                expr, frame = request
                if isinstance(expr, s.Literal):
                    value = expr.value
                elif isinstance(expr, s.Name):
                    value = frame.scope.get(expr.id, frame.span(expr))
                else:
                    stack.append(self._expr(expr, frame))
            else:
                stack.append(request)
        return value

    def _spend(self, steps: int) -> None:
        if self.is_spent or steps > self._budget.left:
            self.is_spent = True
            most = self._budget.steps
            budget = f"a budget of {most // STEPS_PER_UNIT:,} (units of {STEPS_PER_UNIT} steps)"
            what = f"the program takes more than {most:,} steps to build, {budget}"
            raise CapaxError("too-many-steps", what, hint=self.limits.remedy)
        self._budget.spend(steps)

    # statements

    def _statement(self, item: s.Statement, frame: _Frame) -> Steps:
        match item:
            case s.Evaluate():
                return (yield self._evaluate(item, frame))
            case s.Assign():
                return (yield self._assign(item, frame))
            case s.Def():
                function = Function(item, frame.scope, frame.source)
                self._name(item.name, function, frame, frame.span(item))
                return [Named(item.name, function)]
            case s.For():
                return (yield self._for(item, frame))
            case s.RepeatOf():
                pairs = yield run_repeat(item, frame, self._statement)
                for name, value in pairs:
                    self._name(name, value, frame, frame.span(item))
                return [Named(name, value) for name, value in pairs]
            case s.Load():
                self.loader(item.path, frame.source, frame.scope, frame.span(item))
                return []
            case s.Draw():
                return (yield self._draw(item, frame))
            case _:
                raise AssertionError(item)

    def _evaluate(self, item: s.Evaluate, frame: _Frame) -> Steps:
        expr = item.expr
        if isinstance(expr, s.Call):
            function, args = yield self._call_parts(expr, frame)
            if isinstance(function, Program):
                word = args[0] if args else None
                return [Applied(self._apply(function, args, frame.span(expr)), word)]
            value = yield self._call(function, args, frame.span(expr))
        else:
            value = yield expr, frame
        if isinstance(expr, s.Name):
            return [Named(expr.id, value, bound=False)]
        return [Named("out", value, bound=False)]

    def _assign(self, item: s.Assign, frame: _Frame) -> Steps:
        values = []
        for expr in item.values:
            values.append((yield expr, frame))
        value: Value = values[0] if len(values) == 1 else values
        span = frame.span(item)
        if len(item.names) == 1:
            pairs = [(item.names[0], value)]
        else:
            pairs = list(zip(item.names, _unpacked(value, len(item.names), span), strict=True))
        for name, each in pairs:
            changed = self._name(name, each, frame, span)
            own = isinstance(each, Program) and (not isinstance(item.values[0], s.Name) or _is_private(each, name))
            if changed and own and frame.source not in self.hidden:
                each.construction.rename(name)
        return [Named(name, each) for name, each in pairs]

    def _name(self, name: str, value: Value, frame: _Frame, span: Span) -> bool:
        """Gives a name a value; whether it was changed. A reserved name may be given the value that it has."""
        if not self.classic:
            if frame.scope.has_already(name, value):
                self.notices.append(Notice("reserved-name", f"`{name}` has this value already", span))
                return False
            notice = frame.scope.shadowed(name, value, span)
            if notice is not None:
                self.notices.append(notice)
        frame.scope.set(name, value, span)
        return True

    def _for(self, item: s.For, frame: _Frame) -> Steps:
        iterable = yield item.iterable, frame
        for value in _elements(iterable, "a for loop", frame.span(item.iterable)):
            _bind(item.names, value, frame.scope, frame.span(item))
            for statement in item.body:
                yield self._statement(statement, frame)
        return []

    def _draw(self, item: s.Draw, frame: _Frame) -> Steps:
        word = None
        if item.word is not None:
            word = operate.plain((yield item.word, frame))
        target = yield item.target, frame
        if not isinstance(target, SOp):
            span = frame.span(item.target)
            raise CapaxError(
                "expected-sop",
                f"draw needs an s-op, not {describe_value(target)}",
                span,
                operator="draw",
                value=target,
            )
        return [Drawn(target, word)]

    # expressions

    def _expr(self, expr: s.Expr, frame: _Frame) -> Steps:
        match expr:
            case s.Literal():
                return expr.value
            case s.Name():
                return frame.scope.get(expr.id, frame.span(expr))
            case s.Unary():
                return operate.unary(expr.op, (yield expr.operand, frame), frame.span(expr))
            case s.Binary():
                left = yield expr.left, frame
                right = yield expr.right, frame
                if expr.op != "in" and (isinstance(left, SOp) or isinstance(right, SOp)):
                    self._refuse_lists((left, right), frame.span(expr))
                return operate.binary(expr.op, left, right, frame.span(expr))
            case s.Ternary():
                return (yield self._ternary(expr, frame))
            case s.ListOf():
                items = []
                for each in expr.items:
                    items.append((yield each, frame))
                return items
            case s.DictOf():
                return (yield self._dict(expr, frame))
            case s.Comprehension():
                return (yield self._comprehension(expr, frame))
            case s.Call():
                function, args = yield self._call_parts(expr, frame)
                return (yield self._call(function, args, frame.span(expr)))
            case s.Index():
                target = yield expr.target, frame
                at = yield expr.index, frame
                length = frame.scope.get("length") if frame.scope.has("length") else None
                return operate.index(target, at, frame.span(expr), length)
            case s.SelectOf():
                key = operate.plain((yield expr.key, frame))
                query = operate.plain((yield expr.query, frame))
                self._refuse_lists((key, query), frame.span(expr))
                return build.select(key, query, expr.op, frame.span(expr))
            case s.Primitive():
                args = []
                for each in expr.args:
                    args.append(operate.plain((yield each, frame)))
                if expr.name == "aggregate":
                    self._refuse_lists(args[1:2], frame.span(expr))
                return primitive(expr.name, args, frame.span(expr))
            case _:
                raise AssertionError(expr)

    def _refuse_lists(self, values: Iterable[Value], span: Span) -> None:
        """Refuses lists where s-ops are needed, if the rules are those of the reference."""
        if self.classic:
            for value in map(operate.plain, values):
                if isinstance(value, list):
                    raise build.not_an_sop(value, span)

    def _ternary(self, expr: s.Ternary, frame: _Frame) -> Steps:
        condition = operate.plain((yield expr.condition, frame))
        if isinstance(condition, Program):
            then = yield expr.then, frame
            otherwise = yield expr.otherwise, frame
            self._refuse_lists((then, otherwise), frame.span(expr))
            return operate.ternary(condition, then, otherwise, frame.span(expr))
        return (yield (expr.then if condition else expr.otherwise), frame)

    def _dict(self, expr: s.DictOf, frame: _Frame) -> Steps:
        table: dict[Any, Value] = {}
        for key_expr, value_expr in expr.pairs:
            key = _dict_key((yield key_expr, frame), frame.span(key_expr))
            table[key] = yield value_expr, frame
        return table

    def _comprehension(self, expr: s.Comprehension, frame: _Frame) -> Steps:
        what = "a list comprehension" if expr.key is None else "a dict comprehension"
        iterable = yield expr.iterable, frame
        items: list[Value] = []
        table: dict[Any, Value] = {}
        for value in _elements(iterable, what, frame.span(expr.iterable)):
            inner = _Frame(frame.scope.nested(), frame.source, frame.called_at)
            _bind(expr.names, value, inner.scope, frame.span(expr))
            if expr.key is None:
                items.append((yield expr.value, inner))
            else:
                key = _dict_key((yield expr.key, inner), frame.span(expr.key))
                table[key] = yield expr.value, inner
        return items if expr.key is None else table

    # calls

    def _call_parts(self, expr: s.Call, frame: _Frame) -> Steps:
        callee = expr.function
        if isinstance(callee, s.Name) and self._is_builtin(callee.id) and not frame.scope.has(callee.id):
            function: Value = BUILTINS[callee.id]
        else:
            function = yield callee, frame
        args = []
        over_sum = function is BUILTINS["select3"]
        if over_sum:  # before its arguments are run: `sum` is known in the last of the four only
            check_builtin_count(BUILTINS["select3"], len(expr.args), frame.span(expr))
        for number, each in enumerate(expr.args):
            tests = over_sum and number == 3
            args.append((yield each, self._with_sum(frame) if tests else frame))
        return function, args

    def _is_builtin(self, name: str) -> bool:
        return name in BUILTINS and not (self.classic and name in OVER_TRIPLES)

    def _with_sum(self, frame: _Frame) -> _Frame:
        """The frame in which the test of a `select3` is run: `sum` stands for the sum that is tested."""
        inner = _Frame(frame.scope.nested(), frame.source, frame.called_at)
        inner.scope.set("sum", TripleSum())
        return inner

    def _call(self, function: Value, args: list[Value], span: Span) -> Steps:
        match function:
            case Function():
                return (yield self._call_function(function, args, span))
            case Builtin():
                check_builtin_count(function, len(args), span)
                self._refuse_lists(args[1:2] if function.name in ("aggregate", "best") else args, span)
                return function.run(tuple(map(operate.plain, args)), span)
            case Program():
                return self._apply(function, args, span)
            case _:
                raise CapaxError(
                    "not-callable",
                    f"{describe_value(function)} cannot be called",
                    span,
                    "only functions, s-ops and selectors can",
                    value=function,
                )

    def _call_function(self, function: Function, args: list[Value], span: Span) -> Steps:
        signature = f"it is {function.name}({', '.join(function.params)})"
        check_count(function.name, len(function.params), len(function.params), len(args), span, signature)
        if self._depth >= self.limits.call_depth:
            raise CapaxError(
                "call-depth",
                f"calls are nested more than {self.limits.call_depth:,} deep in `{function.name}`",
                span,
                "does the recursion end?",
            )
        self._depth += 1
        if function in self.intrinsics:
            lowered = self.intrinsics[function](*args, span=span)
            if isinstance(args[0], TripleSelector):
                self._depth -= 1
                return lowered  # a width over triples is not made of averages
        hidden = function.source in self.hidden
        frame = _Frame(function.scope.nested(), function.source, span if hidden else None)
        for param, value in zip(function.params, args, strict=True):
            frame.scope.set(param, value, span)
        for statement in function.definition.body:
            yield self._statement(statement, frame)
        results = []
        for expr in function.definition.returns:
            results.append((yield expr, frame))
        self._depth -= 1
        result: Value = results[0] if len(results) == 1 else results
        if function in self.operations and isinstance(result, SOp):
            lowered = operate.operation(self.operations[function], args, span)
        if isinstance(result, SOp) and (function in self.intrinsics or function in self.operations):
            result = SOp(lowered.node, Construction(lowered.node, (result.construction,), span))
        if isinstance(result, Program):
            result.construction.came_from(function.name, tuple(args))
        return result

    def _apply(self, program: Program, args: list[Value], span: Span) -> ProgramValue:
        if len(args) != 1:
            raise wrong_count("an s-op or selector applied to a word", "evaluate unfinished", 1, 1, len(args), span)
        try:
            value: ProgramValue = program(operate.plain(args[0]))
            return value
        except CapaxError as error:
            raise error.at(span) from None


# arguments, elements and names


def _is_private(program: Program, name: str) -> bool:
    """Whether a program has a private name, which gives way to a public one."""
    return (program.name or "").startswith("_") and not name.startswith("_")


def _weight(value: Value) -> int:
    """How many steps making a value counts beyond the first."""
    if isinstance(value, Program):
        return 20
    if isinstance(value, (str, list)):
        return len(value) // 64
    return value.bit_length() // 512 if isinstance(value, int) else 0


def _unpacked(value: Value, count: int, span: Span) -> list[Value]:
    if not isinstance(value, (list, str, dict, Sequence, Matrix, Triples)):
        raise CapaxError(
            "unpack",
            f"{count} names need {count} values, but this is {describe_value(value)}",
            span,
            python=f"object of type '{type(value).__name__}' has no len()",
        )
    if len(value) != count:
        raise CapaxError(
            "unpack",
            f"{count} names need {count} values, but there are {len(value)}",
            span,
            names=count,
            got=len(value),
        )
    return list(value)


def _elements(iterable: Value, what: str, span: Span) -> list[Value]:
    if isinstance(iterable, (list, dict, Sequence, Matrix, Triples)):
        return list(iterable)
    raise CapaxError(
        "not-iterable",
        f"{what} iterates over a list or a dictionary, not {describe_value(iterable)}",
        span,
        "positions of an s-op are not looped over: operators act on all of them at once"
        if isinstance(iterable, Program)
        else None,
        loop=what,
        value=iterable,
    )


def _bind(names: tuple[str, ...], value: Value, scope: Scope, span: Span) -> None:
    if len(names) == 1:
        scope.set(names[0], value, span)
        return
    if not isinstance(value, (list, str, dict, Sequence, Matrix, Triples)):
        what = f"{len(names)} loop names, but the element is {describe_value(value)}"
        raise CapaxError("unpack", what, span, names=len(names), loop=True, value=value)
    if len(value) != len(names):
        what = f"{len(names)} loop names, but the element has {len(value)} parts"
        raise CapaxError("unpack", what, span, names=len(names), got=len(value), loop=True, value=value)
    for name, part in zip(names, value, strict=True):
        scope.set(name, part, span)


def _dict_key(key: Value, span: Span) -> Value:
    if is_atom(key):
        return key
    what = f"a dictionary key must be a string, number or boolean, not {describe_value(key)}"
    raise CapaxError("dict-key", what, span, value=key)
