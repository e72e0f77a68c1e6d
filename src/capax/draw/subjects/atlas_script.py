"""The style and the script of the page of the atlas."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--text:#222;--quiet:#667;--line:#ccd;--yes:#d7efdc;--no:#f6d5d2;
--maybe:#fbeccb}
@media (prefers-color-scheme:dark){:root{--page:#16181d;--text:#e6e6ea;--quiet:#9aa;--line:#3a3f4a;--yes:#1f4a2c;
--no:#5a2623;--maybe:#574414}}
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;background:var(--page);color:var(--text)}
h1{font-size:1.4rem}h2{font-size:1.1rem}.wide{overflow:auto;max-height:85vh;max-width:max-content}
table{border-collapse:separate;border-spacing:0;font-size:12.5px;border:solid var(--line);border-width:1px 0 0 1px}
th,td{border:solid var(--line);border-width:0 1px 1px 0;padding:.2rem .45rem;text-align:left;vertical-align:top}
thead th{position:sticky;top:0;background:var(--page);z-index:1;white-space:nowrap}
#cells th:first-child{position:sticky;left:0;background:var(--page);font-weight:500;white-space:nowrap}
#cells thead th:first-child{z-index:2}#cells td{text-align:center;cursor:pointer}
#claims td:last-child{min-width:22rem}#claims td:first-child{white-space:nowrap}
@media (max-width:700px){body{margin:.7rem}#cells th:first-child{white-space:normal;min-width:7.5rem}}
.yes{background:var(--yes)}.no{background:var(--no)}.conditional{background:var(--maybe)}.unknown{color:var(--quiet)}
form{display:flex;flex-wrap:wrap;gap:.4rem .9rem;margin:.8rem 0}label{color:var(--quiet)}
td.chosen{outline:2px solid var(--text);outline-offset:-2px}.count{color:var(--quiet);margin:.3rem 0}
#proof{min-height:3rem;border-left:3px solid var(--line);padding-left:.7rem;margin:.6rem 0}
.out{display:none}td:focus{outline:2px solid var(--quiet)}
"""

SCRIPT: Final = """
(function () {
  var claims = JSON.parse(document.getElementById("data").textContent).claims;
  var form = document.getElementById("filters"), proof = document.getElementById("proof");
  var search = document.getElementById("search");
  var WORDS = {yes: "yes", no: "no", unknown: "unknown: no record decides it"};
  function line(text) {
    var p = document.createElement("div");
    p.textContent = text;
    proof.appendChild(p);
  }
  function show(cell) {
    var d = cell.dataset, says = WORDS[d.answer];
    document.querySelectorAll(".chosen").forEach(function (c) { c.classList.remove("chosen"); });
    cell.classList.add("chosen");
    proof.textContent = "";
    line(d.model + " : " + d.language + " - " + (says || "no, assuming " + d.assuming));
    d.by.split(" \\u00b7 ").filter(Boolean).forEach(function (id) {
      var c = claims[id];
      line("  " + id + (c ? " (" + c.cites.join("; ") + "; " + c.seen + ")" + (c.note ? " - " + c.note : "") : ""));
    });
    if (d.carried) { line("  carried over by definition: " + d.carried); }
  }
  function count(id) {
    var rows = Array.from(document.querySelectorAll("#" + id + " tbody tr"));
    var shown = rows.filter(function (row) { return !row.classList.contains("out"); }).length;
    var text = shown === rows.length ? "" : shown + " of " + rows.length + " rows";
    document.getElementById(id + "-count").textContent = text;
  }
  function filter() {
    var wanted = {}, word = search.value.toLowerCase();
    form.querySelectorAll("select").forEach(function (s) { if (s.value) { wanted[s.dataset.field] = s.value; } });
    document.querySelectorAll("tbody tr").forEach(function (row) {
      var inTable = row.closest("#cells") !== null;
      var fits = Object.keys(wanted).every(function (f) {
        return (f === "seen" && inTable) || row.dataset[f].split(" or ").indexOf(wanted[f]) >= 0;
      });
      var found = inTable || !word || row.textContent.toLowerCase().indexOf(word) >= 0;
      row.classList.toggle("out", !(fits && found));
    });
    var names = Array.from(document.querySelectorAll("#cells thead th[data-language]"));
    var hits = names.filter(function (n) { return n.dataset.language.toLowerCase().indexOf(word) >= 0; });
    document.querySelectorAll("#cells [data-language]").forEach(function (cell) {
      var fits = !hits.length || cell.dataset.language.toLowerCase().indexOf(word) >= 0;
      cell.classList.toggle("out", !fits);
    });
    count("cells");
    count("claims");
  }
  document.getElementById("cells").addEventListener("click", function (e) {
    if (e.target.tagName === "TD") { show(e.target); }
  });
  document.getElementById("cells").addEventListener("keydown", function (e) {
    if (e.target.tagName === "TD" && (e.key === "Enter" || e.key === " ")) { e.preventDefault(); show(e.target); }
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", function (e) { e.preventDefault(); });
  form.addEventListener("reset", function () { setTimeout(filter, 0); });
})();
"""
