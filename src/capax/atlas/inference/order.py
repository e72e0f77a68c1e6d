"""When one setting is at most as strong as another: the changes that lead from it to the other."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import permutations, product

from capax.atlas.records import Atlas, Variant
from capax.atlas.setting import ANY, FIELDS, Setting, value_of


def climbs(atlas: Atlas, field: str, weak: str, strong: str, others: Setting) -> tuple[Variant, ...] | None:
    """The fewest changes of a field from one value to another; None if none lead there.

    A change that needs values of other fields is taken where `others` has them.
    """
    queue: deque[tuple[str, tuple[Variant, ...]]] = deque([(weak, ())])
    seen = {weak}
    while queue:
        value, path = queue.popleft()
        if value == strong:
            return path
        for step in _steps(atlas).get((field, value), ()):
            if step.stronger not in seen and _met(step, others):
                seen.add(step.stronger)
                queue.append((step.stronger, (*path, step)))
    return None


@lru_cache(maxsize=64)
def _steps(atlas: Atlas) -> dict[tuple[str, str], list[Variant]]:
    """The changes from each value of each field."""
    steps: dict[tuple[str, str], list[Variant]] = {}
    for step in atlas.variants:
        steps.setdefault((step.field, step.weaker), []).append(step)
    return steps


def _met(step: Variant, others: Setting) -> bool:
    return all(value_of(others, name) in allowed for name, allowed in step.needs.items())


@lru_cache(maxsize=1 << 16)
def at_most(atlas: Atlas, weak: Setting, strong: Setting) -> tuple[Variant, ...] | None:
    """The changes that show that models of one setting count among those of another; None if none do.

    Changes with needs come last, in an order in which each finds what it needs.
    """
    changes: list[Variant] = []
    for field in FIELDS:
        path = climbs(atlas, field, value_of(weak, field), value_of(strong, field), strong)
        if path is None:
            return None
        changes += path
    needy = [step for step in changes if step.needs]
    if len({step.field for step in needy}) < len(needy):
        return None
    if needy and not any(_ordered(order, strong) for order in permutations(needy)):
        return None
    return tuple(changes)


def _ordered(order: tuple[Variant, ...], strong: Setting) -> bool:
    """Whether each of some changes finds what it needs, if they are made last and in this order.

    What comes after such a change in its own field is made later too, so until then the field has the weaker value.
    """
    now = replace(strong, **{step.field: step.weaker for step in order})
    for step in order:
        if not _met(step, now):
            return False
        now = replace(now, **{step.field: value_of(strong, step.field)})
    return True


def greatest(atlas: Atlas, field: str) -> tuple[str, ...]:
    """The values of a field of which no unconditional change leads on."""
    lower = {step.weaker for step in atlas.variants if step.field == field and not step.needs}
    return tuple(value for value in FIELDS[field].values if value not in lower)


def tops(atlas: Atlas, region: Mapping[str, str]) -> list[Setting]:
    """The strongest settings of a region: fields that are left open have each of their greatest values."""
    choices = [greatest(atlas, name) if region[name] == ANY else (region[name],) for name in FIELDS]
    return [Setting(*values) for values in product(*choices)]


def entries(atlas: Atlas, start: Setting, region: Mapping[str, str]) -> tuple[Setting, tuple[Variant, ...]] | None:
    """A setting of the region to which a result of another setting is carried, with the changes; None if there is none.

    Open fields keep their values, or take those that a change of another field needs.
    """
    return _entries(atlas, start, tuple(region[name] for name in FIELDS))


@lru_cache(maxsize=1 << 16)
def _entries(atlas: Atlas, start: Setting, values_asked: tuple[str, ...]) -> tuple[Setting, tuple[Variant, ...]] | None:
    region = dict(zip(FIELDS, values_asked, strict=True))
    plain = {name: value_of(start, name) if region[name] == ANY else region[name] for name in FIELDS}
    tries = [plain]
    for step in atlas.variants:
        if step.needs and region[step.field] == step.stronger:
            lifted = {name: allowed[-1] for name, allowed in step.needs.items() if region[name] == ANY}
            tries.append(plain | lifted)
    for values in tries:
        goal = Setting(**values)
        path = at_most(atlas, start, goal)
        if path is not None:
            return goal, path
    return None
