// Compiled models on the shelf. onnxruntime-web runs them in the page: a word of the reader goes through the weights, and
// its answers and its attention are drawn. One file has no room for the runtime, and shows what it brings along.
const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const shelf = {
  models: null,
  runtime: null,
  sessions: new Map(),
  async list() {
    return (this.models ??= await (await fetch("shelf.json")).json());
  },
  // The model of a program, if it is on the shelf.
  async model(request) {
    if ((request.split || "chars") !== "chars" || request.causal || (request.dtype || "float32") !== "float32") return null;
    return (await this.list()).find((one) => one.text.trim() === request.text.trim() && one.program === request.name);
  },
  async session(one) {
    this.runtime ??= (async () => {
      const folder = new URL("onnxruntime/", document.baseURI);
      const ort = await import(new URL("ort.wasm.bundle.min.mjs", folder));
      ort.env.wasm.numThreads = 1; // more need headers that a plain file server does not send
      ort.env.wasm.wasmPaths = { wasm: new URL("ort-wasm-simd-threaded.wasm", folder).href };
      return ort;
    })();
    const ort = await this.runtime;
    if (!this.sessions.has(one.file)) {
      const graph = fetch(one.file).then((reply) => reply.arrayBuffer());
      this.sessions.set(one.file, graph.then((bytes) => ort.InferenceSession.create(new Uint8Array(bytes), { executionProviders: ["wasm"] })));
    }
    return [ort, await this.sessions.get(one.file)];
  },
  // What compiling gave, with the attention and the answers on the word of the request.
  async compile(one, request, inline) {
    const word = [...(request.word ?? "")];
    const strange = [...word, ...request.alphabet].find((letter) => !one.tokens.includes(letter));
    const reads = `the letters ${[...one.tokens].sort().join(" ")} in words of up to ${plural(one.longest, "letter")}`;
    if (strange !== undefined || request.max_length > one.longest) {
      const what = strange === undefined ? `it cannot read words of ${request.max_length}` : `“${strange}” is not among them`;
      refuse({ what: `this page has the program compiled for ${reads}: ${what}`, hint: "`capax serve` compiles it for any letters and lengths" });
    }
    const known = { ...one.reply, shelf: { alphabet: [...one.tokens].sort().join(""), longest: one.longest } };
    if (word.join("") === known.attention.word.join("") && inline) return known;
    known.expected = null; // the page has the interpreter's answers
    const stays = (note) => ({ ...known, attention: { ...known.attention, note } });
    if (inline) return stays("one file has no room for the runtime of models, so it keeps their answers on this input; the folder that `capax site -o DIR` writes runs them on any");
    if (!word.length || word.length > one.longest) return stays(`the model reads words of 1 to ${plural(one.longest, "letter")}`);
    return { ...known, attention: { word, flow: await this.flow(one, word), note: null }, ran: "onnxruntime-web" };
  },
  async flow(one, word) {
    const [ort, session] = await this.session(one);
    const n = word.length;
    const ids = new ort.Tensor("int64", BigInt64Array.from(word, (letter) => BigInt(one.tokens.indexOf(letter))), [1, n]);
    const out = await session.run({ ids, lengths: new ort.Tensor("int64", BigInt64Array.of(BigInt(n)), [1]) });
    const flow = structuredClone(one.reply.attention.flow);
    Object.assign(flow, { word: word.join(""), size: n });
    for (const [name, tensor] of Object.entries(out)) {
      const place = /^blocks\.(\d+)\.heads\.(.+)$/.exec(name);
      if (place) place[2].split("+").forEach((head, at) => fill(flow, `${+place[1] + 1}.${+head + 1}`, tensor, at, word));
    }
    const { data, dims } = out.logits, classes = dims[2];
    const answers = word.map((_, i) => one.classes[highest(data.subarray(i * classes, (i + 1) * classes))]);
    flow.layers.at(-1).rows.find((row) => row.name === "answers").values = answers;
    return flow;
  },
};
// The first of the highest.
const highest = (logits) => logits.indexOf(logits.reduce((most, one) => Math.max(most, one), -Infinity));
// The weights of a head into its grid; those of a sink, the last key, stand beside it.
function fill(flow, label, tensor, at, word) {
  const head = flow.layers.flatMap((layer) => layer.heads).find((one) => one.label === label);
  const n = word.length, keys = tensor.dims[3];
  const rows = word.map((_, i) => [...tensor.data.subarray((at * n + i) * keys, (at * n + i + 1) * keys)]);
  head.cells = { kind: "weights", size: n, step: 1, rows: rows.map((row) => row.slice(0, n)) };
  for (const side of ["keys", "queries"]) for (const row of head[side]) row.values = word;
  for (const row of head.outputs) row.values = rows.map((row) => String(+row[n].toPrecision(3)));
}
