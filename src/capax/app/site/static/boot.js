// One file from the disk: the files of the site are inside this page, and `fetch` answers with them.
const held = {};
for (const part of document.querySelectorAll("script[data-name]")) {
  const raw = Uint8Array.from(atob(part.textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  held[part.dataset.name] = await new Response(plain).arrayBuffer();
  part.remove();
}
const kinds = { wasm: "application/wasm", json: "application/json", mjs: "text/javascript" };
const outside = window.fetch;
window.fetch = async (address, ...rest) => {
  const name = String(address.url ?? address).split("/").pop().split("?")[0];
  if (!(name in held)) return outside(address, ...rest);
  const type = kinds[name.split(".").pop()] ?? "application/octet-stream";
  return new Response(held[name], { headers: { "Content-Type": type } });
};
const module = URL.createObjectURL(new Blob([held["pyodide.asm.mjs"]], { type: "text/javascript" }));
window.capaxInline = {
  load: loadPyodide,
  options: { indexURL: "https://inline.invalid/", createPyodideModule: (await import(module)).default },
};
