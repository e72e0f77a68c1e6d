"""The style sheet of the lab's page."""

from typing import Final

from capax.draw.ink.palette import DARK, LIGHT, Palette


def _colours(palette: Palette) -> str:
    return (
        f"--page:{palette.page};--panel:{palette.panel};--line:{palette.line};--text:{palette.text};"
        f"--quiet:{palette.quiet};--accent:{palette.accent};--good:{palette.layers[1]};--bad:{palette.other}"
    )


STYLE: Final = (
    f":root{{{_colours(LIGHT)}}}@media (prefers-color-scheme:dark){{:root{{{_colours(DARK)}}}}}"
    "body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:60rem;margin:0 auto;padding:1rem}"
    "h1{font-size:1.7rem}h2{font-size:1.35rem;margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1.2rem}"
    "h3{font-size:1.05rem;margin-top:1.5rem}a{color:var(--accent)}"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "td,th{text-align:left;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}"
    "td .quiet,.contents td+td{white-space:nowrap}"
    ".wide,.picture{overflow-x:auto;margin:.8rem 0}.picture svg{max-width:100%;height:auto}"
    "code{background:var(--panel);padding:0 .2rem;border-radius:.2rem}"
    ".quiet{color:var(--quiet)}li{margin:.2rem 0}li.no{color:var(--bad)}"
    ".badge{display:inline-block;padding:0 .6rem;border-radius:.8rem;border:1px solid currentColor;white-space:nowrap}"
    ".badge.yes{color:var(--good)}.badge.no{color:var(--bad)}.badge.open{color:var(--quiet)}"
)
