"""The page for an address that has none."""

from fastapi import Request
from fastapi.responses import PlainTextResponse
from nicegui import Client, app, ui
from starlette.responses import Response

from capax.app.web.pages.frame import card, frame, html


def add_not_found_page() -> None:
    """Shows the bar with the tabs where there is nothing else to show."""

    @app.exception_handler(404)
    async def not_found(request: Request, _: Exception) -> Response:
        if request.url.path.startswith("/_nicegui"):  # a script or a style, which no person reads
            return PlainTextResponse("not found\n", 404)
        page = ui.page("", title="Nothing here · capax")
        with Client(page, request=request) as client, frame(""), card("There is no page at this address"):
            html('<p class="cx-quiet" style="margin:0">The pages are in the bar above.</p>')
        return client.build_response(request, 404)
