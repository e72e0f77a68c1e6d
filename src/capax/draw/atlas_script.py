"""The style and the script of the page of the atlas."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--text:#222;--quiet:#667;--line:#ccd;--yes:#d7efdc;--no:#f6d5d2;
--maybe:#fbeccb}
@media (prefers-color-scheme:dark){:root{--page:#16181d;--text:#e6e6ea;--quiet:#9aa;--line:#3a3f4a;--yes:#1f4a2c;
--no:#5a2623;--maybe:#574414}}
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;background:var(--page);color:var(--text)}
h1{font-size:1.4rem}h2{font-size:1.1rem}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:12.5px}th,td{border:1px solid var(--line);padding:.2rem .45rem;text-align:left}
thead th{position:sticky;top:0;background:var(--page)}#cells td{text-align:center;cursor:pointer}
.yes{background:var(--yes)}.no{background:var(--no)}.conditional{background:var(--maybe)}.unknown{color:var(--quiet)}
form{display:flex;flex-wrap:wrap;gap:.4rem .9rem;margin:.8rem 0}label{color:var(--quiet)}
#proof{min-height:3rem;border-left:3px solid var(--line);padding-left:.7rem;margin:.6rem 0}
.out{display:none}td:focus{outline:2px solid var(--quiet)}
"""

SCRIPT: Final = """
(function () {
  var claims = JSON.parse(document.getElementById("data").textContent).claims;
  var form = document.getElementById("filters"), proof = document.getElementById("proof");
  var search = document.getElementById("search");
  function line(text) {
    var p = document.createElement("div");
    p.textContent = text;
    proof.appendChild(p);
  }
  function show(cell) {
    var d = cell.dataset, says = {yes: "yes", no: "no", unknown: "unknown: no record decides it"}[cell.className];
    proof.textContent = "";
    line(d.model + " : " + d.language + " - " + (says || "no, assuming " + d.assuming));
    d.by.split(" \\u00b7 ").filter(Boolean).forEach(function (id) {
      var c = claims[id];
      line("  " + id + (c ? " (" + c.cites.join("; ") + "; " + c.seen + ")" + (c.note ? " - " + c.note : "") : ""));
    });
  }
  function filter() {
    var wanted = {}, word = search.value.toLowerCase();
    form.querySelectorAll("select").forEach(function (s) { if (s.value) { wanted[s.dataset.field] = s.value; } });
    document.querySelectorAll("tbody tr").forEach(function (row) {
      var inTable = row.closest("#cells") !== null;
      var fits = Object.keys(wanted).every(function (f) {
        return (f === "seen" && inTable) || row.dataset[f] === wanted[f];
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
