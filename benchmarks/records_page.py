"""The page of the records, from what `benchmarks/records.py` stored."""

from typing import Any

TOP = """\
# Records

The least layers, heads and size that are known for a function: of the text in the library, and of what [`capax
search`](../how-to/search.md) found. `python benchmarks/records.py run` searches, and `python benchmarks/records.py
page` writes this page from `docs/reference/records.json`.

*Size* is the number of nodes of the expression written out, in which `selector_width`, `length` and `full_s` are one
node each; a library program that uses a part twice counts it twice, and the body of a loop once. *Layers* and
*heads* of a program with a loop are those before, in and after the loop. *Heads* are those of all layers, with equal
selectors merged, as `capax layers` counts them. *Exhausted* n: no program of at most n nodes over [the grammar of the
search](../explanation/search.md) fits the words of the sample, so none computes the function. *Not found* is what it
says: within the time there was no program, and larger ones may exist. *Fewer* is a second and a third search, with
one layer less, or one head less, than the least that was known before: what they found, or up to which size they
exhausted all programs. Each function had {seconds:g} CPU seconds, and {third:g} for each of the other two searches;
more time finds and exhausts more, and hints make all of these easier. A size with a star is that of a program which
an earlier search found, with more time. Of programs of one size the one with fewer layers and heads is listed.

"""

OF_PAIRS = ("match3", "in_triangle")
"""The library's programs with heads of third order."""

QUESTIONS = """\
## Reverse without a feed-forward part between its attentions
As it is written, reverse needs the sublayers `sfs`: a feed-forward part reads the length off a mean before the second
attention uses it. It runs on neither `ssf` nor `fss`. But there is a program that does:

```rasp
to_end = aggregate(select(indices, indices, >) or select(indices, 0, ==), indicator(indices == 0));
reverse = aggregate(select(to_end, 1 / (indices + 1), ==), tokens);
```

Position j selects all later positions and the first one, and the mean of "is the first" over them is 1 / (n - j). No
feed-forward part has to touch it: it is a key as it is, and the query 1 / (i + 1) is a function of the position
alone. The two are equal where j = n - 1 - i. The program needs the sublayers `ss`, so it runs on `ss`, `ssf` and
`fss`. So the order that the first program needs says nothing about what networks with other orders
[learn](../experiments/sublayers.md).

```python
from itertools import product

from capax import Program, schedule
from capax.rasp.analysis.sublayers import needed_order, runs_on

reverse = Program.from_text('''
to_end = aggregate(select(indices, indices, >) or select(indices, 0, ==), indicator(indices == 0));
reverse = aggregate(select(to_end, 1 / (indices + 1), ==), tokens);
''')
words = [word for n in range(1, 8) for word in product("abc", repeat=n)]
all(list(reverse(word)) == list(word)[::-1] for word in words)  # True
root = schedule(reverse).root
needed_order(root), runs_on(root, "ssf"), runs_on(root, "fss")  # ('ss', True, True)
```

In RASP a selector may compare anything. In weights a score is linear in what the first attention gives, and `capax
compile` squares the mean in a feed-forward part before it tests for equality. Weights without any feed-forward part
exist as well: with two means, 1/x and 2/(x + 1) of the distance x to the end, a linear score is largest at the
mirrored position alone. [`capax theorem reverse-by-attention`](theorems.md#reverse-by-attention) builds and checks
them.

The search finds the second line of the program when it is given the first as a hint, and the query:

```console
$ capax search reverse --order ss --size 5 --with reciprocal --without width \\
>   --hint 'aggregate(select(indices, indices, >) or select(indices, 0, ==), indicator(indices == 0))' \\
>   --hint '1 / (indices + 1)'
...
size       5 nodes
layers     2, heads 1, 1; sublayers ss
...
```

## The histogram without BOS, with one head
`capax layers` counts a width as one head, since a head with a sink counts. With averages alone, as in the paper on
RASP, the library's `selector_width` takes two. One is enough if the alphabet is finite and words are not too long.
The head averages, over the positions with the same token and the first position, a number that is 0 everywhere but at
the first position, and there a prime that stands for the token. The mean is the first token's prime divided by the
count, or by the count plus 1 where the first token is another one; as the primes are larger than any count, it says
which:

```python
histogram = Program.from_text('''
same_or_first = select(tokens, tokens, ==) or select(indices, 0, ==);
prime = {"a": 101, "b": 103, "c": 107}[tokens];
mean = aggregate(same_or_first, prime if indices == 0 else 0);
def if_first(letter, its_prime) {
    ratio = its_prime / mean;
    is_it = abs(ratio - round(ratio)) < 0.001;
    return (round(ratio) - indicator(tokens != letter)) if is_it else 0;
}
histogram = if_first("a", 101) + if_first("b", 103) + if_first("c", 107);
''')
all(list(histogram(word)) == [word.count(x) for x in word] for word in words)  # True
schedule(histogram)  # <schedule: 1 layer; heads as written 1; merged 1>
```

It was checked on all 9,840 words of up to 8 letters and on random ones of up to 90. Without a table of letters, the
search finds no such program: see [what it exhausts](../how-to/search.md#show-that-there-is-none).
"""


def _costs(costs: dict[str, Any] | None) -> list[str]:
    if costs is None:
        return ["-", "-", "-"]
    star = "\\*" if costs.get("earlier") else ""
    return [f"{costs['size']}{star}", str(costs["layers"]), str(costs["heads"])]


def winner(record: dict[str, Any]) -> str:
    """Who has the smaller program: the text, the search, or both the same."""
    written, found = record["written"], record["smallest"]["program"]
    if found is None:
        return "text" if written is not None else "none"
    if written is None:
        return "search"
    if found["size"] == written["size"]:
        return "both"
    return "search" if found["size"] < written["size"] else "text"


def _exhausted(record: dict[str, Any]) -> str:
    found, exhausted = record["smallest"]["program"], record["smallest"]["exhausted"]
    if found is None:
        outside = " (selectors of pairs are not in the grammar)" if record["name"] in OF_PAIRS else ""
        return f"{exhausted}; not found{outside}"
    return f"{found['size'] - 1}: smallest" if exhausted >= found["size"] - 1 else str(exhausted)


def _fewer(record: dict[str, Any], part: str) -> str:
    data = record[part]
    if data is None:
        return "-"
    noun = part if data["limit"] != 1 else part[:-1]
    if data["program"] is None:
        return f"{data['limit']} {noun}: none up to {data['exhausted']}"
    return f"**{data['program'][part]} {noun}**, size {data['program']['size']}"


def _table(records: list[dict[str, Any]], library: bool) -> list[str]:
    names = ["", "what"] if not library else ["program"]
    columns = [*(["text: size", "layers", "heads"] if library else []), "search: size", "layers", "heads"]
    head = [*(["function", "what"] if not library else names), *columns]
    head += [*(["smaller"] if library else []), "exhausted", "fewer layers", "fewer heads"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for record in records:
        row = [f"`{record['name']}`", *([] if library else [record["what"]])]
        row += [*(_costs(record["written"]) if library else []), *_costs(record["smallest"]["program"])]
        row += [*([winner(record)] if library else []), _exhausted(record)]
        lines.append("| " + " | ".join([*row, _fewer(record, "layers"), _fewer(record, "heads")]) + " |")
    return lines


DIFFERENT_LETTERS = ("sort_distinct",)
"""Functions of words without a letter twice: the playground shows their programs on such a word."""


def _programs(records: list[dict[str, Any]]) -> list[str]:
    lines = ["## The programs", "Each agrees with its function on all short words, and on random longer ones.", ""]
    for record in records:
        for part in ("smallest", "layers", "heads"):
            program = (record[part] or {}).get("program")
            if program is None:
                continue
            fewer = "" if part == "smallest" else f", fewer {part}"
            lines += [f"### {record['name']}{fewer}", f"{program['evidence'].capitalize()}.", ""]
            mark = ' word="lohe"' if record["name"] in DIFFERENT_LETTERS else ""
            lines += [f"```rasp{mark}", *program["text"].splitlines(), "```", ""]
    return lines


def page(stored: dict[str, Any]) -> str:
    """The whole page."""
    records = list(stored.values())
    library = [r for r in records if r["what"] == "in the library"]
    tasks = [r for r in records if r["what"] != "in the library"]
    wins = [r["name"] for r in library if winner(r) == "search"]
    found = sum(r["smallest"]["program"] is not None for r in tasks)
    lines = [
        "## The library's programs",
        f"The search has a smaller program than the text for {len(wins)} of {len(library)}.",
        "",
        *_table(library, library=True),
        "",
        "## More functions",
        f"A program was found for {found} of {len(tasks)}.",
        "",
        *_table(tasks, library=False),
        "",
    ]
    questions = QUESTIONS.replace("'''", '"' * 3)
    (seconds,) = {record["seconds"] for record in records}
    top = TOP.format(seconds=seconds, third=seconds / 3)
    return top + "\n".join(lines) + "\n" + questions + "\n" + "\n".join(_programs(records)).rstrip() + "\n"
