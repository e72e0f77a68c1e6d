"""The screen that `capax --help` prints: the commands under headings, each with its whole first sentence."""

from typing import Any, Final

from typer.core import TyperGroup

GROUPS: Final = (
    ("Start", ("demo", "repl", "serve")),
    ("Programs", ("run", "list", "check", "fmt", "layers", "draw")),
    ("Models", ("compile", "apply", "verify", "explain", "size", "export", "import-model")),
    ("What transformers can do", ("theorems", "theorem", "ngram")),
    ("What they cannot", ("limits", "limit", "plant", "protocol", "fool", "check-witness")),
    ("Languages and machines", ("recognise", "tm", "atlas")),
    ("What they learn", ("tasks", "task", "train", "sweep", "results", "report")),
)
"""Every command once, in the order in which a newcomer meets them."""


class HelpScreen(TyperGroup):
    """The commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the groups; a command that is in none comes last."""
        grouped = {name for _, names in GROUPS for name in names}
        rest = tuple(name for name in self.list_commands(ctx) if name not in grouped)
        for title, names in (*GROUPS, ("Others", rest)):
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, one.get_short_help_str(limit=200)) for name, one in found if one is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
