// The page: Python in the browser, an editor, pictures, puzzles. No request leaves for another host.
const $ = (id) => document.getElementById(id);
const PAUSE = 250; // milliseconds after the last key
const inline = window.capaxInline;

const load = inline ? inline.load : (await import("./pyodide.mjs")).loadPyodide;
const [python, packed] = await Promise.all([
  load(inline ? inline.options : {}),
  fetch("capax.zip").then((reply) => reply.arrayBuffer()),
]);
python.unpackArchive(packed, "zip", { extractDir: "/capax" });
python.runPython("import sys; sys.path.insert(0, '/capax'); from capax.app.site import page_jobs");
const jobs = python.globals.get("page_jobs");
const start = JSON.parse(jobs.start());

const kept = (() => {
  try {
    return JSON.parse(localStorage.getItem("capax-puzzles") ?? "{}");
  } catch {
    return {};
  }
})();
const keep = () => {
  try {
    localStorage.setItem("capax-puzzles", JSON.stringify(kept));
  } catch {
    // a page from the disk may have no storage: progress lasts as long as the page
  }
};

let puzzle = null; // the puzzle that is being solved; null where programs are built
let built = { text: start.examples[0].text, word: start.examples[0].word };
let chosen = ""; // the name whose value is shown; "" for the last one

function option(value, label) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = label ?? value;
  return made;
}

function shown(value) {
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}

function show() {
  const found = JSON.parse(jobs.evaluate($("text").value, $("word").value, chosen || null));
  const wrong = found.check && !found.check.ok ? found.check.errors : [];
  const problem = found.error?.text ?? wrong.map((one) => one.text ?? one.what ?? String(one)).join("\n\n");
  $("problem").hidden = !problem;
  $("problem").textContent = problem;
  if (!found.run) return; // the last good result stays
  fill($("name"), [["", "the last one"], ...found.programs.map((one) => [one, one])], chosen);
  $("answer").textContent =
    found.run.kind === "selector" ? `${found.run.program}: a selector` : `${found.run.program} = ${shown(found.run.values)}`;
  const heads = found.layers.heads_merged.join(", ") || "none";
  $("cost").textContent = `${found.layers.layers ?? found.layers.depth} layers of attention; heads in each: ${heads}`;
  draw(found.picture ?? "");
  const rows = found.run.trace.filter((step) => step.kind !== "selector");
  $("steps").tBodies[0].replaceChildren(...rows.map(row));
}

function row(step) {
  const line = document.createElement("tr");
  for (const text of [step.name, shown(step.values)]) {
    const cell = document.createElement("td");
    cell.textContent = text;
    line.append(cell);
  }
  return line;
}

function draw(html) {
  $("picture").innerHTML = html;
  for (const old of $("picture").querySelectorAll("script:not([type])")) {
    const script = document.createElement("script"); // scripts put in as text do not run by themselves
    script.textContent = old.textContent;
    old.replaceWith(script);
  }
}

function fill(select, entries, value) {
  select.replaceChildren(...entries.map(([name, label]) => option(name, label)));
  select.value = entries.some(([name]) => name === value) ? value : entries[0][0];
}

let waiting = 0;
function later() {
  clearTimeout(waiting);
  waiting = setTimeout(show, PAUSE);
}

function build() {
  puzzle = null;
  $("text").value = built.text;
  $("word").value = built.word;
  page();
}

function solve(name) {
  puzzle = start.puzzles.find((one) => one.name === name) ?? start.puzzles[0];
  $("text").value = kept[puzzle.name]?.text ?? puzzle.start;
  $("word").value = ["brackets", "balanced"].includes(puzzle.name) ? "(()())" : "hello";
  page();
}

function page() {
  chosen = "";
  for (const [id, on] of [["tab-build", !puzzle], ["tab-puzzles", puzzle]]) $(id).setAttribute("aria-pressed", String(!!on));
  $("build-bar").hidden = !!puzzle;
  $("build-bar").style.display = puzzle ? "none" : "";
  $("puzzle-bar").hidden = !puzzle;
  $("mark-row").hidden = !puzzle;
  $("next").hidden = true;
  $("solution-row").hidden = true;
  $("verdict").textContent = "";
  if (puzzle) {
    $("task").textContent = `${puzzle.title}: ${puzzle.task}`.replaceAll("`", "");
    $("budget").textContent = `Budget: ${puzzle.budget}`;
    $("hint").textContent = puzzle.hint.replaceAll("`", "");
  }
  progress();
  show();
}

function progress() {
  const count = start.puzzles.filter((one) => kept[one.name]?.solved).length;
  $("solved").textContent = `${count}/${start.puzzles.length}`;
  const entries = start.puzzles.map((one) => [one.name, `${kept[one.name]?.solved ? "✓ " : ""}${one.tier}: ${one.title}`]);
  fill($("puzzle"), entries, puzzle?.name ?? entries[0][0]);
}

function mark() {
  const found = JSON.parse(jobs.mark($("text").value, puzzle.name));
  const verdict = $("verdict");
  verdict.className = found.solved ? "good" : "bad";
  if (found.error) verdict.textContent = found.error.what;
  else if (found.solved) verdict.textContent = `Solved: right on all ${found.words} words, within the budget.`;
  else if (found.right) verdict.textContent = `Right on all words, with ${found.layers} layers and ${found.heads} heads: over the budget.`;
  else {
    const { word, right, given, error } = found.wrong;
    verdict.textContent = `Wrong on ${word}: it should be ${shown(right)}, and ${error ?? `yours is ${shown(given)}`}.`;
  }
  kept[puzzle.name] = { text: $("text").value, solved: !!found.solved || !!kept[puzzle.name]?.solved };
  keep();
  $("next").hidden = !found.solved;
  $("solution-row").hidden = !found.solved;
  $("solution").textContent = found.solved ? puzzle.solution : "";
  progress();
}

$("text").oninput = () => {
  if (!puzzle) built.text = $("text").value;
  later();
};
$("word").oninput = () => {
  if (!puzzle) built.word = $("word").value;
  later();
};
$("name").onchange = () => {
  chosen = $("name").value;
  show();
};
$("tab-build").onclick = build;
$("tab-puzzles").onclick = () => solve(start.puzzles.find((one) => !kept[one.name]?.solved)?.name);
$("puzzle").onchange = () => solve($("puzzle").value);
$("mark").onclick = mark;
$("next").onclick = () => {
  const at = start.puzzles.indexOf(puzzle);
  solve(start.puzzles[(at + 1) % start.puzzles.length].name);
};
fill($("example"), start.examples.map((one) => [one.name, one.name]), "");
$("example").onchange = () => {
  const one = start.examples.find((example) => example.name === $("example").value);
  built = { text: one.text, word: one.word };
  build();
};
$("share").onclick = async () => {
  location.hash = new URLSearchParams({ text: $("text").value, word: $("word").value }).toString();
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  $("verdict").className = "";
  $("verdict").textContent = "The link to this program is in the address bar.";
};

const given = new URLSearchParams(location.hash.slice(1));
if (given.has("text")) built = { text: given.get("text"), word: given.get("word") ?? "" };
build();
$("status").textContent = "ready; runs in your browser, offline";
document.body.dataset.ready = String(Math.round(performance.now()));
