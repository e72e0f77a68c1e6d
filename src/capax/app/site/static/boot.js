// One file from the disk: the files of the site are inside this page, unpacked as they are asked for, and `fetch`
// answers with them.
const held = {};
for (const part of document.querySelectorAll("script[data-name]")) {
  let unpacked = null;
  held[part.dataset.name] = () =>
    (unpacked ??= (() => {
      const raw = Uint8Array.from(atob(part.textContent), (letter) => letter.charCodeAt(0));
      part.remove();
      return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    })());
}
const kinds = { wasm: "application/wasm", json: "application/json", mjs: "text/javascript" };
const outside = window.fetch;
window.fetch = async (address, ...rest) => {
  const name = String(address.url ?? address).split("/").pop().split("?")[0];
  if (!(name in held)) return outside(address, ...rest);
  const type = kinds[name.split(".").pop()] ?? "application/octet-stream";
  return new Response(await held[name](), { headers: { "Content-Type": type } });
};
window.capaxInline = {
  load: async () => {
    const module = URL.createObjectURL(new Blob([await held["pyodide.asm.mjs"]()], { type: "text/javascript" }));
    return loadPyodide({ indexURL: "https://inline.invalid/", createPyodideModule: (await import(module)).default });
  },
};
