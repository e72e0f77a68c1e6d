"""From the text of a machine to the machine."""

from fractions import Fraction
from typing import TypeAlias

from capax.errors import CapaxError, Source
from capax.formal.turing.machine import Action, RuleKey, TuringMachine
from capax.formal.turing.probabilistic import ChanceMachine
from capax.formal.turing.tapes import TapesAction, TapesMachine
from capax.formal.turing.text import MachineFile, MachineRule, parse

AnyMachine: TypeAlias = TuringMachine | TapesMachine | ChanceMachine


def read_machine(source: Source) -> AnyMachine:
    """The machine of a text: with one tape, with several, or one whose steps are taken by chance."""
    file = parse(source)
    if file.chancy:
        return _by_chance(file)
    _refuse_twice(file)
    if file.tapes == 1:
        rules = {_rule_key(rule): _action(rule) for rule in file.rules}
        return TuringMachine(file.blank, file.start, rules, file.input, file.accepting)
    several = {(rule.state, rule.read): TapesAction(rule.write, rule.moves, rule.next) for rule in file.rules}
    return TapesMachine(file.tapes, file.blank, file.start, several, file.input, file.accepting)


def _rule_key(rule: MachineRule) -> RuleKey:
    return rule.state, rule.read[0]


def _action(rule: MachineRule) -> Action:
    return Action(rule.write[0], rule.moves[0], rule.next)


def _refuse_twice(file: MachineFile) -> None:
    known: dict[tuple[str, tuple[str, ...]], MachineRule] = {}
    for rule in file.rules:
        before = known.setdefault((rule.state, rule.read), rule)
        if before is not rule:
            raise CapaxError(
                "bad-machine",
                f"line {before.span.line} has a rule for this state and symbol already",
                rule.span,
                "a machine that takes rules by chance has `: probability` at their ends",
            )


def _by_chance(file: MachineFile) -> ChanceMachine:
    if file.tapes > 1:
        raise CapaxError(
            "bad-machine",
            "a machine with probabilities has one tape",
            file.rules[0].span,
            "leave out `tapes`, or the probabilities",
        )
    rules: dict[RuleKey, dict[Action, Fraction]] = {}
    last: dict[RuleKey, MachineRule] = {}
    for rule in file.rules:
        chances = rules.setdefault(_rule_key(rule), {})
        action = _action(rule)
        if action in chances:
            raise CapaxError("bad-machine", "this rule is there twice", rule.span, "add up its probabilities")
        chances[action] = Fraction(1) if rule.chance is None else rule.chance
        last[_rule_key(rule)] = rule
    for key, chances in rules.items():
        if sum(chances.values()) != 1:
            raise CapaxError(
                "bad-machine",
                f"the probabilities for this state and symbol sum to {sum(chances.values())}, not 1",
                last[key].span,
                "a rule without `: probability` has probability 1",
            )
    return ChanceMachine(file.blank, file.start, rules, file.input, file.accepting)
