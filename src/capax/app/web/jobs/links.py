"""A link as a QR code, and a picture as a file."""

import io

from capax.app.web import request as read
from capax.app.web.jobs.editor import program_of
from capax.app.web.request import Reply, Request
from capax.draw.ink.svg import svg
from capax.draw.view.flow import flow
from capax.errors import CapaxError

MOST_LINK = 2_300
"""Bytes of a link: a QR code of the least correction holds 2,953."""


def qr(request: Request, folder: str | None) -> Reply:
    """A text as a QR code, an SVG."""
    import segno

    text = read.text(request, "text", 20_000)
    if len(text.encode()) > MOST_LINK:
        raise CapaxError("too-large", "the link is too long for a QR code", hint="shorten the program")
    drawn = io.BytesIO()
    code = segno.make(text, error="l", micro=False)
    code.save(drawn, kind="svg", border=3, xmldecl=False, svgns=True, dark="#14171b", light="#ffffff", omitsize=True)
    return {"svg": drawn.getvalue().decode(), "modules": code.symbol_size(border=0)[0]}


def picture(request: Request, folder: str | None) -> Reply:
    """What `capax draw -o FILE.svg` writes."""
    return {"svg": svg(flow(program_of(request).program, read.tokens(request)))}
