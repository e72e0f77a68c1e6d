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
    d.by.split(" \u00b7 ").filter(Boolean).forEach(function (id) {
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
