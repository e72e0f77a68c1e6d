"""The style sheet of the playground: calm, in light and dark, from a phone's width on."""

from typing import Final

from capax.draw.ink.palette import DARK, LIGHT, Palette
from capax.draw.ink.style import FONTS, bar_style, style_sheet

WORDS: Final = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif"


def _variables(palette: Palette) -> str:
    names = ("page", "panel", "well", "line", "text", "quiet", "accent", "faint", "full", "other")
    return "".join(f"--{name}:{getattr(palette, name)};" for name in names)


SHEET: Final = f"""
:root,body.body--light{{{_variables(LIGHT)}--good:#00734f;--bad:#b3261e;--word:#7a3e9d;--str:#00734f;--num:#a34700}}
body.body--dark{{{_variables(DARK)}--good:#3ad3a2;--bad:#ff8a80;--word:#c9a0ef;--str:#5fd3a6;--num:#f0a55c}}
html.cx-night{{{_variables(DARK)}}} html{{background:var(--page)}}
body,body.body--dark{{background:var(--page);color:var(--text);font-family:{WORDS};font-size:15px;line-height:1.5}}
.nicegui-content{{padding:0;gap:0;display:block}}
.cx-top{{position:sticky;top:0;z-index:20;display:flex;align-items:center;gap:4px;background:var(--page);
 border-bottom:1px solid var(--line);padding:0 20px;height:52px}}
.cx-mark{{font-weight:700;font-size:18px;letter-spacing:-.02em;color:var(--text);text-decoration:none;
 margin-right:14px}}
.cx-tabs{{display:flex;gap:2px;overflow-x:auto;flex:1;scrollbar-width:none;height:100%}}
.cx-tabs::-webkit-scrollbar{{display:none}}
.cx-tabs a{{color:var(--quiet);text-decoration:none;padding:0 11px;white-space:nowrap;display:flex;align-items:center;
 border-bottom:2px solid transparent;border-top:2px solid transparent;font-size:14.5px}}
.cx-tabs a:hover{{color:var(--text)}}
.cx-tabs a[aria-current=page]{{color:var(--text);border-bottom-color:var(--full);font-weight:600}}
.cx-tool{{all:unset;cursor:pointer;color:var(--quiet);font-size:13px;padding:5px 11px;border-radius:6px;
 white-space:nowrap;
 border:1px solid var(--line)}}
.cx-tool:hover{{color:var(--text)}}
a:focus-visible,button:focus-visible,.cx-tool:focus-visible,summary:focus-visible,[tabindex]:focus-visible{{
 outline:2px solid var(--full)!important;outline-offset:1px}}
.cx-main{{max-width:1280px;margin:0 auto;padding:22px 20px 60px;width:100%;box-sizing:border-box}}
.cx-lead{{color:var(--quiet);max-width:105ch;margin:0 0 18px}}
.cx-two{{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:20px;align-items:start}}
.cx-side{{display:grid;grid-template-columns:minmax(0,340px) minmax(0,1fr);gap:24px;align-items:start}}
.cx-two+.cx-two,.cx-two+.cx-card,.cx-side+.cx-card{{margin-top:20px}}
.cx-two>.cx-card.cx-card{{margin-top:0}}
.cx-two>*,.cx-side>*{{min-width:0;width:100%}}
.cx-card{{border:1px solid var(--line);border-radius:10px;background:var(--page);padding:16px 18px;width:100%;
 box-sizing:border-box;min-width:0}}
.cx-card+.cx-card{{margin-top:16px}}
.cx-stack{{display:flex;flex-direction:column;gap:14px;width:100%}}
.cx-stack>.cx-card{{margin:0}}
.cx-stack>div:empty{{display:none}}
.cx-row{{display:flex;flex-wrap:wrap;gap:10px;align-items:center;width:100%}}
.cx-row>.cx-grow{{flex:1 1 170px;min-width:0}}
h2.cx-h{{font-size:15px;font-weight:650;margin:0 0 8px;line-height:1.4}}
h1.cx-h{{font-size:22px;font-weight:680;margin:0 0 6px;line-height:1.3;letter-spacing:-.01em}}
.cx-quiet{{color:var(--quiet)}} .cx-good{{color:var(--good)}} .cx-bad{{color:var(--bad)}}
.cx-small{{font-size:13px}}
.cx-scroll{{overflow-x:auto;max-width:100%}}
.cx-scroll svg{{display:block;max-width:none}}
.cx-fit svg{{max-width:100%;height:auto}}
.cx-mono,.cx-steps td,.cx-steps th{{font-family:{FONTS};font-size:13px}}
.cx-steps{{border-collapse:collapse}}
.cx-steps td,.cx-steps th{{padding:4px 9px;text-align:center;border-bottom:1px solid var(--line);white-space:pre;
 font-weight:400;vertical-align:middle}}
.cx-steps th{{color:var(--quiet)}}
.cx-steps td:first-child,.cx-steps th:first-child{{text-align:left;padding-left:2px;position:sticky;left:0;
 background:var(--page);max-width:38vw;overflow:hidden;text-overflow:ellipsis}}
.cx-steps tr:last-child td{{border-bottom:0}}
.cx-steps tr.cx-result td{{font-weight:700;color:var(--accent)}}
.cx-steps tr.cx-here td{{background:var(--faint)}}
.cx-plain{{border-collapse:collapse;width:100%;font-size:14px}}
.cx-plain.cx-snug{{width:auto}} .cx-plain.cx-snug td:first-child{{color:var(--quiet);padding-right:24px}}
.cx-plain td,.cx-plain th{{text-align:left;vertical-align:top;padding:6px 12px 6px 0;
 border-bottom:1px solid var(--line)}}
.cx-plain th{{color:var(--quiet);font-weight:500;font-size:13px}}
.cx-plain tr:last-child td{{border-bottom:0}}
.cx-chips{{display:flex;flex-wrap:wrap;gap:7px;margin:0 0 10px}}
.cx-chip{{background:var(--panel);border:1px solid var(--line);border-radius:99px;padding:2px 11px;font-size:13px}}
.cx-chip b{{font-weight:650}}
.cx-chip.good{{color:var(--good);border-color:currentColor}} .cx-chip.bad{{color:var(--bad);border-color:currentColor}}
.cx-error{{border-left:3px solid var(--bad);padding:8px 12px;background:var(--panel);border-radius:0 6px 6px 0;
 overflow-x:auto}}
.cx-error.warn{{border-color:var(--num)}}
.cx-error pre{{font-family:{FONTS};font-size:12.5px;margin:6px 0 0;color:var(--quiet)}}
.cx-error code{{font-family:{FONTS};font-size:.92em}}
.cx-error+.cx-error{{margin-top:8px}}
.cx-old{{opacity:.35;transition:opacity .3s .25s}}
.cx-bar{{height:9px;border-radius:2px;background:var(--full);min-width:2px}} .cx-bar.bound{{background:var(--line)}}
.cx-bars{{min-width:90px;display:grid;gap:3px}}
.cx-grid{{display:inline-block!important;vertical-align:middle;margin-right:8px}}
.cx-prompt span{{display:inline-block;min-width:1.1em;text-align:center;padding:0 2px;border-radius:3px}}
.cx-prompt .differs{{background:var(--other);color:var(--page)}}
.cx-tape{{display:flex;flex-wrap:wrap;gap:3px;margin:8px 0}}
.cx-tape span{{min-width:26px;height:30px;display:flex;align-items:center;justify-content:center;padding:0 4px;
 border:1px solid var(--line);border-radius:4px;font-family:{FONTS}}}
.cx-tape .head{{border-color:var(--full);background:var(--faint);font-weight:700}}
details.cx-more summary{{cursor:pointer;display:list-item;list-style:disclosure-closed inside;
 color:var(--quiet);font-size:13.5px}}
details.cx-more[open] summary{{list-style:disclosure-open inside;margin-bottom:8px}}
ul.cx-list{{margin:4px 0 8px;padding-left:20px}} ul.cx-list li{{margin:2px 0}}
.cx-lattice [data-class]{{cursor:pointer}}
.cx-frame{{border:1px solid var(--line);border-radius:10px;width:100%;height:calc(100vh - 136px);min-height:420px;
 background:var(--page);color-scheme:light}}
body.body--dark .cx-frame{{color-scheme:dark}}
.capax-view{{background:transparent}}
.q-field__control,.q-field__native,.q-field__label{{font-size:14px}}
.q-field__input{{text-overflow:ellipsis}} body.body--dark .q-field{{--q-primary:var(--full)}}
.cx-upload .q-uploader__list,.cx-upload .q-uploader__subtitle{{display:none}}
.cx-upload .q-uploader__header{{background:transparent;color:var(--text)}}
.cx-upload .q-uploader__title{{font-size:14px;font-weight:500}}
.cx-rules textarea{{font-family:{FONTS};font-size:12.5px;height:210px;white-space:pre;overflow-wrap:normal;
 overflow-x:auto}}
.cx-downloads{{margin:12px 0 4px}} .cx-downloads:empty{{display:none}}
.q-field--outlined .q-field__control:before{{border-color:var(--line)}}
.q-btn--dense{{padding:2px 10px}}
.q-btn{{text-transform:none;font-weight:550;letter-spacing:0}}
.q-btn--outline{{--q-primary:var(--accent);font-weight:500}}
.cx-class{{scroll-margin-top:110px}}
.q-slider{{--q-primary:var(--full)}}
.q-menu{{background:var(--page);color:var(--text);border:1px solid var(--line);max-width:92vw}}
.cx-label{{font-size:13.5px;display:flex;justify-content:space-between;gap:10px}} .cx-label b{{font-weight:600}}
.cx-editor{{height:290px;width:100%;border:1px solid var(--line);border-radius:8px;overflow:hidden}}
.cx-editor .cm-editor{{background:var(--well)!important;color:var(--text)!important;font-size:14px;
 outline:none!important}}
.cx-editor .cm-content,.cx-editor .cm-gutters{{font-family:{FONTS}}}
.cx-editor .cm-content{{caret-color:var(--text)!important}}
.cx-editor .cm-cursor{{border-left-color:var(--text)!important}}
.cx-editor .cm-gutters{{background:var(--panel)!important;color:var(--quiet)!important;
 border-right:1px solid var(--line)!important}}
.cx-editor .cm-activeLine,.cx-editor .cm-activeLineGutter{{background:#8a939c1c!important}}
.cx-editor .cm-selectionBackground{{background:var(--faint)!important}}
.cx-editor:focus-within{{border-color:var(--full)}}
.cm-tooltip{{background:var(--panel)!important;color:var(--text)!important;border:1px solid var(--line)!important;
 font-size:13px;max-width:80vw;padding:2px 4px;white-space:pre-wrap}}
.cm-tooltip-autocomplete ul li[aria-selected]{{background:var(--full)!important;color:#fff!important}}
.rk{{color:var(--word)}} .rs{{color:var(--str)}} .rn{{color:var(--num)}} .rc{{color:var(--quiet);font-style:italic}}
.rb{{color:var(--accent)}} .ro{{color:var(--quiet)}}
.rasp-error{{text-decoration:underline wavy var(--bad) 1.5px;text-underline-offset:4px;text-decoration-skip-ink:none}}
.rasp-warning{{text-decoration:underline wavy var(--num) 1.5px;text-underline-offset:4px;text-decoration-skip-ink:none}}
@media (max-width:860px){{
 .cx-two,.cx-side{{grid-template-columns:minmax(0,1fr)}}
 .cx-main{{padding:14px 12px 50px}} .cx-top{{padding:0 12px}} .cx-mark{{margin-right:6px}} .cx-tool.wide{{display:none}}
 .cx-card{{padding:12px 13px}} .cx-editor{{height:230px}}
 .cx-tabs{{mask-image:linear-gradient(90deg,transparent,#000 16px,#000 calc(100% - 16px),transparent);padding:0 8px}}
}}
@media (max-width:600px){{
 .cx-plain:not(.cx-snug) tr{{display:flex;flex-wrap:wrap;gap:1px 14px;padding:7px 0;
  border-bottom:1px solid var(--line)}}
 .cx-plain:not(.cx-snug) tr:last-child{{border-bottom:0}}
 .cx-plain tr.cx-titles.cx-titles{{display:none}}
 .cx-plain:not(.cx-snug) td{{border:0;padding:0;min-width:0}}
 .cx-plain:not(.cx-snug) td:first-child{{flex:1 0 100%;font-weight:550}}
 .cx-plain:not(.cx-snug) td:empty{{display:none}}
 .cx-plain td[data-title]:not(:empty)::before{{content:attr(data-title) " ";color:var(--quiet);font-size:12.5px}}
 .cx-plain .cx-bars{{width:90px;padding-top:5px}}
 .cx-fit svg{{max-width:none;width:620px}}
}}
@media print{{.cx-top{{position:static}}}}
"""
"""The rules of the pages."""

PICTURES: Final = (
    style_sheet("light", scope="body.body--light .capax")
    + style_sheet("dark", scope="body.body--dark .capax")
    + bar_style("light", scope="body.body--light .capax-bar-auto")
    + bar_style("dark", scope="body.body--dark .capax-bar-auto")
    + "body .capax-view .capax-steps{position:static;padding:4px 0 8px;background:none!important;border:0!important}"
)
"""Pictures follow the page, not the reader's system, since the page has a switch."""
