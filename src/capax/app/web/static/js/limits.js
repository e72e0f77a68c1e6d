// Limits: the verdict first, then the curve with a point that can be moved, then the sizes.
const LIMIT_REACH = { heads: 1024, dim: 4096, bits: 64, layers: 64, longest: 128, samples: 20, seed: 100 };
const MAIN_SIZES = { composition: ['n', 'heads', 'dim', 'bits'] };
async function cannotPage(query) {
  const data = await exploreData();
  if (query.name && data.limits.some(l => l.name === query.name)) return limitPage(query, data);
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Cannot'), h('p', { class: 'lead' }, 'Each limit is a calculator: choose the sizes of a model, and it says what no model of these sizes can do, or that it says nothing there.'),
    h('ul', { class: 'shelf' }, data.limits.map(l => h('li', {}, h('a', { class: 'card go small-card', href: `#/cannot?name=${l.name}` }, h('h2', {}, l.title), h('p', { class: 'small quiet' }, briefly(l.citation))))))), 'Cannot');
}
// The first source, without what is said about it.
const briefly = citation => sentence(citation.split(/[;:]|, which /)[0].replace(/^the poster of /, ''));
const PHONE = matchMedia('(max-width:600px)');
async function limitPage(query, data) {
  const one = data.limits.find(l => l.name === query.name), names = Object.keys(one.parameters);
  const numeric = names.filter(n => typeof one.parameters[n].default === 'number' && one.parameters[n].default !== 0);
  const main = (MAIN_SIZES[one.name] || numeric).slice(0, 4);
  const verdict = h('div', { class: 'headline' }, h('span', { class: 'quiet' }, '…')), plot = h('div', { class: 'plot', tabindex: 0, role: 'region', 'aria-label': 'the curve' }), numbers = h('div', {}), errors = h('div', {}), fooled = h('div', { 'aria-live': 'polite' });
  let model = query.model || (one.measures ? data.measured[0] : ''), brought = null;
  const compute = later(work, 120);
  const here = SERVED || data.calculated.includes(one.name);
  const sizes = controls(one.parameters, here ? query : {}, compute, LIMIT_REACH, main);
  const picker = one.measures ? h('div', { class: 'controls' }, field('model that is measured', choice([...data.measured.map(m => [m, `that of theorem ${m}`]), ...(SERVED ? [['file', 'a file of yours']] : [])], model, v => { model = v; file.hidden = v !== 'file'; compute(); })),
    h('input', { type: 'file', accept: '.safetensors', hidden: true, 'aria-label': 'a .safetensors file', onchange: async e => { brought = await base64Of(e.target.files[0]); compute(); } })) : null;
  const file = picker?.querySelector('input[type=file]');
  const request = given => ({ name: one.name, given, ...(one.measures ? (model === 'file' ? { file: brought } : { model }) : {}) });
  async function work() {
    remember('cannot', { name: one.name, ...(one.measures ? { model } : {}), ...sizes.values() });
    if (model === 'file' && !brought) return;
    verdict.classList.add('old');
    try {
      const r = await ask('limit', request(sizes.values()), 'limit');
      put(errors); verdict.classList.remove('old');
      const v = r.limit.verdict, kind = { impossible: 'bad', 'no-statement': 'quiet' }[v.kind] || 'good';
      put(verdict, h('span', { class: `stamp ${kind}` }, { impossible: 'Impossible', 'no-statement': 'No statement', bounded: 'Bounded', measured: 'Measured' }[v.kind] || sentence(v.kind.replace('-', ' '))), ' ', h('span', { class: 'verdict-text' }, sentence(v.text).replace(/\.?$/, '.')));
      put(numbers, r.limit.quantities.length ? table(['quantity', 'value', 'from', ''], r.limit.quantities.map((q, k) => [q.name, h('b', {}, none(r.texts[k])), h('span', { class: 'small quiet' }, q.source), h('span', { class: 'small quiet' }, q.note)]), 'the numbers') : null);
      plot.setAttribute('data-wide', String(!PHONE.matches)); draggable(plot, PHONE.matches ? r.narrow_chart : r.chart, one, sizes);
    } catch (refused) { put(errors, problem(refused.error)); }
  }
  const theorems = one.theorems.map(t => [`can`, t, `What is possible instead: ${data.theorems.find(x => x.name === t)?.title || t}`]);
  const task = data.fool.includes(one.task) ? one.task : data.fool.includes(one.name) ? one.name : null;
  show(h('div', { class: 'page' }, crumbs('cannot', 'Cannot'), h('h1', {}, one.title), verdict, errors, plot,
    h('section', { 'aria-label': 'Sizes' }, picker, here ? sizes : without('Other sizes: ', h('code', {}, 'capax serve'), ' or ', h('code', {}, `capax limit ${one.name}`), '.')), statementOf(one), h('details', {}, h('summary', {}, 'Show the numbers'), numbers),
    SERVED ? foolSection(data, task, fooled) : null,
    related(theorems, `capax limit ${one.name}`, ...beside(one.theorems, await startData()), docsPage('limits', one.name))), `${one.title} · Cannot`);
  work();
}
const none = text => (/^none\b|^-$/.test(String(text)) ? '—' : text);
const base64Of = async file => { const bytes = new Uint8Array(await file.arrayBuffer()); let text = ''; for (let k = 0; k < bytes.length; k += 32768) text += String.fromCharCode(...bytes.subarray(k, k + 32768)); return btoa(text); };
// The curve of a limit. Dragging over it moves the size along the x axis; the server's picture has the point.
function draggable(box, svg, one, sizes) {
  if (!svg) { box.replaceChildren(); return; }
  box.innerHTML = svg;
  themed(box);
  const at = box.querySelector('svg'), ticks = [...at.querySelectorAll('text')].map(t => ({ x: +t.getAttribute('x'), y: +t.getAttribute('y'), text: t.textContent }));
  at.setAttribute('role', 'img');
  if (!at.querySelector('title')) at.setAttribute('aria-label', `${one.title}: the bound by size`);
  const name = Object.keys(one.parameters)[0];
  const axis = sizes.isConnected && axisOf(ticks, at);
  if (!axis || typeof one.parameters[name].default !== 'number') return;
  const here = [...at.querySelectorAll('text')].find(t => t.textContent.trim() === 'here');
  here?.remove();
  const curves = [...at.querySelectorAll('path')].map(pointsOf).filter(list => list.length > 8);
  const point = h('svg:g', { class: 'point' }, h('svg:line', { y1: axis.top, y2: axis.bottom }), h('svg:text', { y: axis.top - 7, 'text-anchor': 'middle' }), h('svg:g', {}));
  at.append(point);
  const place = v => {
    const x = axis.toX(v);
    point.style.display = x < axis.left - 2 || x > axis.right + 2 ? 'none' : '';
    point.children[0].setAttribute('x1', x); point.children[0].setAttribute('x2', x);
    point.children[1].setAttribute('x', x); point.children[1].textContent = `${name.replace('_', ' ')} = ${grouped(v)}`;
    put(point.children[2], curves.map(list => yAt(list, x)).filter(y => y !== null).map(cy => h('svg:circle', { r: 6, cx: x, cy })));
  };
  place(+sizes.now[name]);
  const move = event => {
    const frame = at.getBoundingClientRect(), view = at.viewBox.baseVal;
    const x = view.x + (event.clientX - frame.left) / frame.width * view.width;
    const v = Math.max(one.parameters[name].least ?? 1, Math.round(axis.fromX(Math.max(axis.left, Math.min(axis.right, x)))));
    place(v); return v;
  };
  let last = null;
  at.style.touchAction = 'pan-y'; at.style.cursor = 'ew-resize';
  at.onpointerdown = e => { at.setPointerCapture(e.pointerId); last = move(e); };
  at.onpointermove = e => { if (last !== null) last = move(e); };
  at.onpointerup = () => { if (last !== null) { const v = last; last = null; sizes.set(name, v); } };
}
// The x axis of a chart, from its labels: the row of numbers that is lowest; by logarithm where the steps are factors.
function axisOf(ticks, at) {
  const numbered = ticks.map(t => ({ ...t, value: valueOf(t.text) })).filter(t => Number.isFinite(t.value));
  const rows = Object.groupBy ? Object.values(Object.groupBy(numbered, t => Math.round(t.y))) : [numbered];
  const row = rows.filter(r => r.length >= 2).sort((a, b) => b[0].y - a[0].y)[0]?.sort((a, b) => a.x - b.x);
  if (!row) return null;
  const a = row[0], b = row[row.length - 1], middle = row[Math.floor(row.length / 2)];
  const logarithmic = row.length < 3 ? b.value / a.value >= 4 : a.value > 0 && Math.abs((Math.log(middle.value / a.value) / Math.log(b.value / a.value)) - (middle.x - a.x) / (b.x - a.x)) < Math.abs((middle.value - a.value) / (b.value - a.value) - (middle.x - a.x) / (b.x - a.x));
  const f = logarithmic ? Math.log : v => v, g = logarithmic ? Math.exp : v => v, slope = (b.x - a.x) / (f(b.value) - f(a.value));
  const frames = [...at.querySelectorAll('rect')].map(r => ({ x: +r.getAttribute('x'), y: +r.getAttribute('y'), w: +r.getAttribute('width'), t: +r.getAttribute('height') })).filter(r => r.y >= -1 && r.t > 60 && r.y + r.t < a.y);
  const left = Math.min(a.x, ...frames.map(r => r.x)), right = Math.max(b.x, ...frames.map(r => r.x + r.w));
  return { left, right, bottom: a.y - 19, top: Math.min(0, a.y - 60), toX: v => a.x + (f(v) - f(a.value)) * slope, fromX: x => g(f(a.value) + (x - a.x) / slope) };
}
// The points of a curve, and its height at an x.
const pointsOf = path => [...(path.getAttribute('d') || '').matchAll(/[ML ]?\s*(-?[\d.]+)[ ,](-?[\d.]+)/g)].map(m => [+m[1], +m[2]]);
function yAt(list, x) {
  for (let k = 1; k < list.length; k++) {
    const [[x0, y0], [x1, y1]] = [list[k - 1], list[k]];
    if (x0 <= x && x <= x1 && x1 > x0) return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
  }
  return null;
}
function valueOf(text) {
  const t = text.trim().replaceAll(',', ''), power = /^(\d+)\^(\d+)$/.exec(t);
  return power ? power[1] ** power[2] : /^\d+(\.\d+)?([kM])?$/.test(t) ? parseFloat(t) * ({ k: 1e3, M: 1e6 }[t.at(-1)] || 1) : NaN;
}
function foolSection(data, task, fooled) {
  const sizes = { task: task || data.fool[0], n: 8, heads: 1, dim: 2, seed: 0 };
  const number = (name, most) => field(name, h('input', { type: 'number', min: name === 'seed' ? 0 : 1, max: most, value: sizes[name], class: 'short', oninput: e => { sizes[name] = +e.target.value; } }));
  const button = h('button', { type: 'button', class: 'button fool', onclick: async () => {
    button.setAttribute('aria-busy', 'true');
    try { put(fooled, fooledBy(await ask('fool', sizes, 'fool'))); } catch (refused) { put(fooled, problem(refused.error)); }
    button.removeAttribute('aria-busy');
  } }, 'Fool it');
  return h('details', { class: 'fool-box' }, h('summary', {}, 'Fool a small model: two prompts that it cannot tell apart'),
    h('p', { class: 'small quiet' }, 'A layer with random weights in exact integers. Two inputs whose answers differ though every number in the layer is the same, or one that it answers wrongly.'),
    h('div', { class: 'row' }, field('task', choice(data.fool, sizes.task, v => { sizes.task = v; })), number('n', 64), number('heads', 8), number('dim', 8), number('seed', 9999), button), fooled);
}
function fooledBy(reply) {
  const w = reply.witness;
  if (!w) return h('p', {}, 'None was found in the time there is. ', h('span', { class: 'quiet' }, reply.why));
  const differs = k => w.inputs.length > 1 && new Set(w.inputs.map(i => String(i[k]))).size > 1;
  return [table(['prompt', 'model output', 'correct'], w.inputs.map((input, r) => [h('span', { class: 'prompt mono' }, input.map((t, k) => h('span', { class: differs(k) ? 'differs' : '' }, String(t)))), String(w.answers[r]), h('b', { class: w.answers[r] === reply.truths[r] ? 'good' : 'bad' }, String(reply.truths[r]))]), 'prompts that fool the model'),
    h('p', { class: 'small quiet' }, w.message_bits ? `What passes between positions is the same ${counted(w.message_bits, 'bit')} for both. ` : '', sentence(reply.why), '.')];
}
