"""The page of the lab: a report, if the server was given one."""

from nicegui import ui

from capax.app.web.pages.frame import card, frame, html


class LabPage:
    """The page."""

    def __init__(self, report: str | None) -> None:
        with frame("/lab"):
            if report is None:
                with card("No report is shown here"):
                    html(
                        '<p class="cx-quiet" style="margin:0">The lab trains small models to see whether what is '
                        "possible is also learned, and writes its results as a page. To show one here, start the "
                        'server with <span class="cx-mono">capax serve --report report.html</span>.</p>'
                    )
            else:
                ui.element("iframe").props(
                    'src="/lab/report.html" title="report of the lab" sandbox="allow-scripts"'
                ).classes("cx-frame")
