// Answers without a server: Python in the page, and what was computed beforehand. No request leaves for another host.
const inline = window.capaxInline;
const data = fetch("data.json").then((reply) => reply.json());
let jobs = null;
const ready = (async () => {
  await new Promise((resolve) => setTimeout(resolve, 400)); // the first picture is there before Python is
  const load = inline ? inline.load : (await import("../pyodide.mjs")).loadPyodide;
  const [python, packed] = await Promise.all([
    load(),
    fetch("capax.zip").then((reply) => reply.arrayBuffer()),
  ]);
  python.unpackArchive(packed, "zip", { extractDir: "/capax" });
  python.runPython("import sys; sys.path.insert(0, '/capax'); from capax.app.site import page_jobs");
  jobs = python.globals.get("page_jobs");
  document.body.dataset.ready = String(Math.round(performance.now()));
})();

const empty = (value) => value === "" || value === null || value === undefined || (typeof value === "object" && !Object.keys(value).length);
const keyOf = (job, request) =>
  `${job} ${JSON.stringify(Object.fromEntries(Object.entries(request).filter(([, value]) => !empty(value)).sort(([a], [b]) => (a < b ? -1 : 1))))}`;
const refuse = (error) => {
  throw new window.capaxRefused(error);
};
const COMMANDS = { theorem: "capax theorem NAME", compile: "capax compile", recognise: "capax recognise", turing: "capax tm", break: "capax theorem NAME --break", audit: "capax audit", fool: "capax fool" };

window.capaxBackend = async (job, request) => {
  const { catalogue, answers, here } = await data;
  if (job === "catalogue") return catalogue[request.part];
  const known = answers[keyOf(job, request)];
  if (known) return known;
  const model = job === "compile" && (await shelf.model(request));
  if (model) return shelf.compile(model, request, inline);
  if (!here.includes(job) || (job === "limit" && request.model)) {
    refuse({
      what: "this page has no server: it holds the answers for its examples and their first sizes alone",
      hint: `\`capax serve\` works out any other, and so does \`${COMMANDS[job] ?? `capax ${job}`}\``,
    });
  }
  await ready;
  await new Promise((resolve) => setTimeout(resolve)); // what was typed meanwhile is shown first
  const found = JSON.parse(jobs.ask(job, JSON.stringify(request)));
  if (found.error) refuse(found.error);
  return found.result;
};
window.capaxStart();
await ready.catch((error) => {
  document.getElementById("main").textContent = `Python could not be loaded: ${error.message}`;
});
