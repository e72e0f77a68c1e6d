function ready(element, name) {
  /* The script of the picture looks for the piece in the page, so it runs when the notebook has put it there. */
  const start = () => (document.getElementById(name) || element.isConnected) ? picture(name) : requestAnimationFrame(start);
  start();
}
function mark(element, grids, position) {
  element.querySelectorAll(".capax-query").forEach(old => old.remove());
  element.querySelectorAll("g.grid").forEach(box => {
    const grid = grids[+box.dataset.grid], well = box.querySelector("rect");
    if (grid.step > 1 || position >= grid.rows.length) return;
    const row = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const height = +well.getAttribute("height") / grid.rows.length;
    const place = {x: well.getAttribute("x"), width: well.getAttribute("width"), height,
      y: +well.getAttribute("y") + position * height, class: "capax-query", fill: "none", stroke: "#d55e00", "stroke-width": 2,
      "pointer-events": "none"};
    Object.entries(place).forEach(([key, value]) => row.setAttribute(key, value));
    well.parentNode.appendChild(row);
  });
}
function read(grids, position) {
  const named = rows => rows.filter(row => row[1].length > position).map(row => row[0] + " = " + row[1][position]);
  const seen = grids.filter(grid => grid.step === 1).flatMap(grid => [...named(grid.queries), ...named(grid.outputs)]);
  return [...new Set(seen)].join(", ");
}
export default {
  render({model, el}) {
    const draw = () => {
      el.innerHTML = model.get("html");
      const view = el.querySelector(".capax-view");
      const {grids} = JSON.parse(view.querySelector('script[type="application/json"]').textContent);
      const size = Math.max(0, ...grids.filter(grid => grid.step === 1).map(grid => grid.rows.length));
      ready(el, view.id);
      if (size < 2) return;
      const bar = document.createElement("label");
      bar.style.font = "13px/1.5 ui-monospace, Menlo, Consolas, monospace";
      bar.innerHTML = 'query <input type="range" min="0" step="1"> <output></output>';
      const slider = bar.querySelector("input"), told = bar.querySelector("output");
      slider.max = size - 1;
      const move = () => {
        slider.value = model.get("position");
        told.textContent = slider.value + ": " + read(grids, +slider.value);
        mark(el, grids, +slider.value);
      };
      slider.addEventListener("input", () => { model.set("position", +slider.value); model.save_changes(); });
      model.on("change:position", move);
      view.before(bar);
      move();
    };
    model.on("change:html", draw);
    draw();
  }
};
