"""`capax demo`: the paper's programs, run and explained in the terminal."""

from typing import TextIO

from capax.app.commands import run
from capax.app.ink import colour_wanted, paint
from capax.app.layers import layers
from capax.app.resolve import resolve
from capax.app.screen import show_matrix
from capax.app.show import show_run
from capax.compile.compiled import compile_program
from capax.rasp.sequence import Matrix

_SHOWN: tuple[tuple[str, str, str, str | None], ...] = (
    (
        "reverse",
        "hello",
        "One layer finds the length, the next looks at position length - 1 - i.",
        "select(indices, length - indices - 1, ==)",
    ),
    (
        "hist_bos",
        "§banana",
        "Attention averages, so how does it count? Each position looks at its equals and at the begin "
        "token;\nthe begin token's share of that attention is 1/(count + 1).",
        "select(tokens, tokens, ==) or select(indices, 0, ==)",
    ),
    (
        "hist2_bos",
        "§aabbcdd",
        "Two layers: count each token, then count the first occurrences with the same count.",
        None,
    ),
    (
        "sort_bos",
        "§banana",
        "A token's rank is how many tokens go before it; the second layer fetches by rank.",
        None,
    ),
    (
        "sort_by_most_freq",
        "§aabbbcc",
        "Three layers: count, rank the first occurrences by count, fetch.",
        None,
    ),
    (
        "dyck2_ptf",
        "({})(}",
        "Brackets of two kinds: T balanced, P can still be balanced, F cannot any more.",
        None,
    ),
)


def demo(out: TextIO) -> None:
    """Prints the programs of "Thinking Like Transformers" at work."""
    colour = colour_wanted(out)
    out.write("RASP is a language for what transformers compute: a `select` says where attention looks,\n")
    out.write("an `aggregate` averages what it finds there, and everything else happens at each position.\n")
    for name, word, why, selector in _SHOWN:
        out.write(f"\n{paint(name, 'bold', on=colour)}\n{why}\n")
        if selector is not None:
            out.write(f"{paint(selector, 'name', on=colour)}\n")
            rows = run(selector, word)["values"]
            out.write(show_matrix(Matrix(rows), list(word)) + "\n")
        out.write(show_run(run(name, word)) + "\n")
        cost = layers(name, word)
        heads = ", ".join(map(str, cost["heads_merged"]))
        layers_needed = f"{cost['layers']} layer{'' if cost['layers'] == 1 else 's'}"
        out.write(f"as a transformer: {layers_needed}, heads in each: {heads}\n")
    out.write(f"\n{paint('reverse, as weights', 'bold', on=colour)}\n")
    out.write("The compiler makes a transformer of it, checks it against the program, and proves it right.\n")
    compiled = compile_program(resolve("reverse").program, alphabet="ehlo", max_length=12)
    out.write(f"{compiled.label}; {compiled.size.parameters:,} parameters\n")
    out.write(f'the weights on "hello" give {compiled("hello")}\n')
    out.write("\nGo on: `capax list` shows the library, `capax repl` is the prompt,\n")
    out.write("`capax layers reverse` says what it costs, `capax draw reverse hello` draws it,\n")
    out.write("`capax compile reverse --alphabet abc --max-length 20` makes it weights.\n")
