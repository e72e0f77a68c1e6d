"""The screen that `capax --help` prints: the commands under headings, each with its whole first sentence."""

from typing import Any, Final

from typer.core import TyperGroup

TITLES: Final = (
    "Start",
    "Programs",
    "Models",
    "What transformers can do",
    "What they cannot",
    "Languages and machines",
    "What they learn",
)
"""The headings, in the order in which a newcomer meets them; `GROUP` of a command's file names one."""


class HelpScreen(TyperGroup):
    """The commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the groups, each in the order in which its commands were registered."""
        commands = sorted(self.commands.items(), key=lambda item: isinstance(item[1], TyperGroup))
        for title in TITLES:  # commands with commands of their own come last
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(limit=200))
                        for name, command in commands
                        if getattr(command, "rich_help_panel", None) == title
                    ]
                )
