// The attention of a program or a model on an input: grids that fit their pane, a readout beside them, steps and play.
const LEVELS = 8;
const SHARES = [1, 2, 3, 4, 8, 16, 64];
function levelOf(weight, kind) {
  if (weight <= 0) return 0;
  if (kind === 'density') return Math.min(LEVELS, 4 + Math.floor(weight * 5));
  if (kind === 'weights') return weight >= 0.002 ? Math.min(LEVELS, Math.floor(weight * LEVELS + 0.999)) : 0;
  const step = SHARES.findIndex(m => weight * m > 1 - 1e-9);
  return step < 0 ? 1 : LEVELS - step;
}
const shadeOf = level => `color-mix(in srgb, var(--full) ${Math.round(100 * ((level - 1) / (LEVELS - 1)) ** 1.5)}%, var(--faint))`;
// The weights of a grid as numbers; a row of `#` and `.` is a selection, or an average over it.
function weightsOf(cells) {
  return cells.rows.map(row => {
    if (typeof row !== 'string') return row;
    const m = [...row].filter(c => c === '#').length;
    const share = cells.kind === 'selected' || cells.kind === 'density' ? 1 : 1 / Math.max(m, 1);
    return [...row].map(c => (c === '#' ? share : 0));
  });
}
function cellPaths(weights, kind, size, x0, y0, gap) {
  const paths = {};
  weights.forEach((row, i) => row.forEach((weight, j) => {
    const level = levelOf(weight, kind);
    if (!level) return;
    const s = size - 2 * gap;
    (paths[level] ||= []).push(`M${x0 + j * size + gap} ${y0 + i * size + gap}h${s}v${s}h${-s}z`);
  }));
  return Object.entries(paths).map(([level, d]) => h('svg:path', { d: d.join(''), style: `fill:${shadeOf(+level)}` }));
}
// A selector or a head in miniature.
function miniGrid(weights, kind, wide) {
  const size = wide / weights.length;
  return h('svg:svg', { class: 'mini', width: wide, height: wide, viewBox: `0 0 ${wide} ${wide}`, 'aria-hidden': 'true' },
    h('svg:rect', { width: wide, height: wide, rx: 2, class: 'well' }), cellPaths(weights, kind, size, 0, 0, size > 6 ? 0.6 : 0));
}
const tokenText = text => (text === '' ? '""' : text);
function percent(weight, kind) {
  if (kind === 'selected') return weight ? 'selected' : 'not selected';
  if (weight === 1) return 'weight 1';
  const m = Math.round(1 / weight);
  return kind === 'average' && weight > 0 && Math.abs(weight * m - 1) < 1e-6 ? `weight 1/${m}` : `weight ${shortly(weight)}`;
}
// One head. `room` is the width and height that it may take; `onpoint(i, j)` is called as cells are pointed at.
function headGrid(head, tokens, room, onpoint) {
  const weights = weightsOf(head.cells), kind = head.cells.kind, n = weights.length;
  const texts = side => (head[side][0] && head[side][0].values.length === n ? head[side][0] : null);
  const keys = texts('keys'), queries = texts('queries'), values = texts('values'), outputs = texts('outputs');
  const own = keys && keys.name === 'tokens' ? keys.values : tokens.length === n ? tokens.map(shortly) : null;
  const labelled = n <= 40 && own;
  const cut = text => { const t = tokenText(String(text)); return t.length > 6 ? `${t.slice(0, 5)}…` : t; };
  const same = row => !row || new Set(row.values).size === 1 && row.values[0] === '1' || row.name === 'tokens';
  const most = list => Math.max(1, ...list.map(t => cut(t).length));
  const showKeys = labelled && !same(keys), showQueries = labelled && !same(queries);
  const outTexts = labelled && outputs ? outputs.values.map(v => cut(v)) : null;
  const left = labelled ? 10 + 8 * most(own) + (showQueries ? 12 + 7 * most(queries.values) : 0) : 8;
  const right = outTexts && outTexts.some(Boolean) ? 24 + 8 * most(outTexts) : 6;
  const above = labelled ? (showKeys ? 38 : 22) : 8;
  const size = Math.max(n > 80 ? 2 : n > 24 ? 5 : 11, Math.min(54, Math.floor(Math.min((room.width - left - right) / n, (room.height - above - 8) / n))));
  const wide = left + n * size + right, tall = above + n * size + 6;
  const mark = h('svg:g', { class: 'cross' });
  const text = (x, y, t, kind2, anchor) => h('svg:text', { x, y, class: kind2, 'text-anchor': anchor || 'middle' }, cut(t));
  const middle = k => k * size + size / 2;
  const fits = size >= 11;
  const labels = labelled && fits ? [
    own.map((t, j) => text(left + middle(j), showKeys ? 14 : above - 7, t, 'token')),
    showKeys && keys.values.map((t, j) => text(left + middle(j), above - 6, t, 'value')),
    own.map((t, i) => text(8 + 8 * most(own), above + middle(i) + 4.5, t, 'token', 'end')),
    showQueries && queries.values.map((t, i) => text(left - 7, above + middle(i) + 4, t, 'value', 'end')),
    outTexts && outTexts.map((t, i) => (t ? [text(left + n * size + 11, above + middle(i) + 4, '→', 'value'), text(left + n * size + 22, above + middle(i) + 4.5, t, 'out', 'start')] : null)),
  ].flat(9).filter(Boolean) : [];
  const lines = [];
  if (size >= 7) for (let k = 1; k < n; k++) lines.push(`M${left + k * size} ${above}v${n * size}M${left} ${above + k * size}h${n * size}`);
  const at = h('svg:svg', {
    class: 'grid', width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, tabindex: 0, role: 'application',
    'aria-label': `attention of head ${head.label || ''} ${readable(head.name)}, ${n} by ${n}; arrow keys move over the cells`,
  },
    h('svg:rect', { x: left, y: above, width: n * size, height: n * size, class: 'well' }),
    h('svg:path', { d: lines.join(''), class: 'lines' }),
    cellPaths(weights, kind, size, left, above, size >= 8 ? 1 : 0), mark, labels);
  let now = null;
  at.light = (i, j) => {
    now = i === null ? null : [i, j];
    if (i === null) { mark.replaceChildren(); return; }
    mark.replaceChildren(
      h('svg:rect', { x: 0, y: above + i * size, width: wide, height: size }),
      ...(j === null ? [] : [h('svg:rect', { x: left + j * size, y: 0, width: size, height: tall }),
        h('svg:rect', { x: left + j * size, y: above + i * size, width: size, height: size, class: 'cell' })]));
  };
  const tell = (i, j) => { at.light(i, j); onpoint(head, i, j, weights); };
  const cellAt = event => {
    const box = at.getBoundingClientRect(), scale = wide / box.width;
    const j = Math.floor(((event.clientX - box.left) * scale - left) / size), i = Math.floor(((event.clientY - box.top) * scale - above) / size);
    return i >= 0 && i < n ? [i, j >= 0 && j < n ? j : null] : null;
  };
  at.addEventListener('pointermove', event => { const c = cellAt(event); if (c) tell(...c); });
  at.addEventListener('pointerdown', event => { const c = cellAt(event); if (c) tell(...c); });
  at.addEventListener('keydown', event => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const [i, j] = now || [0, 0];
    tell(Math.max(0, Math.min(n - 1, now ? i + by[0] : 0)), Math.max(0, Math.min(n - 1, now ? (j ?? 0) + by[1] : 0)));
  });
  at.geometry = { left, above, size, n, weights, values, own, wide, tall };
  return at;
}
// The readout of a cell, in words.
function readout(head, i, j, weights, tokens) {
  const of = (side, k) => head[side].filter(r => r.values.length > k && r.values[k] !== '').map(r => h('span', {}, h('i', {}, readable(r.name)), ' = ', h('b', {}, tokenText(r.values[k]))));
  const token = k => (tokens.length === weights.length ? ` “${shortly(tokens[k])}”` : '');
  const line = (name, ...rest) => h('div', {}, h('span', { class: 'quiet' }, name), ' ', ...rest.flat());
  const mine = weights[i];
  const picked = mine.map((w, k) => [w, k]).filter(([w]) => w > 0);
  const parts = [line(`query ${i}${token(i)}`, joined(of('queries', i)))];
  if (j === null) parts.push(line('looks at', picked.length ? `${picked.slice(0, 6).map(([, k]) => `${k}${token(k)}`).join(', ')}${picked.length > 6 ? ` and ${picked.length - 6} more` : ''}` : 'nothing'));
  else parts.push(line(`key ${j}${token(j)}`, joined(of('keys', j))), line('', h('b', { class: mine[j] > 0 ? 'good' : 'quiet' }, percent(mine[j], head.cells.kind))),
    head.counts ? null : line('value', joined(of('values', j))));
  parts.push(line('output', joined(of('outputs', i))));
  return parts;
}
const joined = list => list.flatMap((one, k) => (k ? [', ', one] : [one]));

// Where panes stand one below the other, a grid takes the height that its width asks for.
const STACKED = matchMedia('(max-width: 860px)');
// The pane. `show(parts)` takes {program: flow, weights: flow, tokens: {...}}; it keeps the layer that was looked at.
function attentionPane(options = {}) {
  let parts = {}, which = 'program', chosen = null, playing = 0, fast = 1, round = 0, marked = '';
  const stage = h('div', { class: 'stage', tabindex: 0, role: 'region', 'aria-label': 'attention' });
  const told = h('div', { class: 'readout', 'aria-live': 'polite' });
  const layers = h('div', { class: 'layers', role: 'group', 'aria-label': 'layers' });
  const title = h('span', { class: 'quiet small where' });
  const back = h('button', { type: 'button', class: 'icon', 'aria-label': 'previous layer', title: 'previous layer', onclick: () => step(-1) }, '◀');
  const on = h('button', { type: 'button', class: 'icon', 'aria-label': 'next layer', title: 'next layer', onclick: () => step(1) }, '▶');
  const play = h('button', { type: 'button', class: 'button small play', onclick: toggle }, icon('play'), 'Play');
  const speed = choice({ 0.5: '½×', 1: '1×', 2: '2×', 4: '4×' }, '1', v => { fast = +v; }, { 'aria-label': 'speed', class: 'speed' });
  const modes = segments('what is shown', { program: 'Program', weights: 'Weights', both: 'Both' }, 'program', key => { which = key; draw(); });
  const bar = h('div', { class: 'attention-bar' }, back, title, on, play, speed, h('span', { class: 'grow' }), options.modes ? modes : null);
  const IDLE = 'Point at a cell, or use the arrow keys: who looks where, and what comes back.';
  // The rounds of a loop are pictures of their own; beside the weights all layers stand one after the other.
  const steps = () => (which === 'program' && parts.program?.rounds) || [];
  const pictureOf = key => (key === 'program' && steps()[round]) || parts[key];
  const scrub = h('input', { type: 'range', min: 0, value: 0, 'aria-label': 'round of the loop', oninput: () => { round = +scrub.value; draw(); } });
  const roundTitle = h('span', { class: 'small', role: 'status' });
  const rounds = h('div', { class: 'rounds', hidden: true }, h('span', { class: 'quiet small' }, 'Loop'), scrub, roundTitle);
  const el = h('div', { class: 'attention' }, bar, rounds, layers, stage, told);
  const flows = () => (which === 'both' ? ['program', 'weights'] : [which]).filter(k => parts[k]);
  const numbers = () => [...new Set(flows().flatMap(k => pictureOf(k).layers.filter(l => l.heads.length).map(l => l.number)))].sort((a, b) => a - b);
  const wordOf = key => (parts.tokens || {})[key] || [];
  function step(by) { const all = numbers(); choose(all[Math.max(0, Math.min(all.length - 1, all.indexOf(chosen) + by))]); }
  function choose(number) { stop(); chosen = number; draw(); options.onlayer?.(number); }
  function stop() { clearTimeout(playing); playing = 0; put(play, icon('play'), 'Play'); }
  function draw() {
    stop();
    const all = numbers(), empty = !flows().length;
    round = Math.max(0, Math.min(round, steps().length - 1));
    rounds.hidden = !steps().length;
    scrub.max = Math.max(0, steps().length - 1); scrub.value = round;
    roundTitle.textContent = steps()[round]?.title ?? '';
    scrub.setAttribute('aria-valuetext', roundTitle.textContent);
    if (!all.includes(chosen)) chosen = all.length ? all[all.length - 1] : null;
    modes.children[1].disabled = modes.children[2].disabled = !parts.weights;
    put(layers, flows().length ? all.map(mini) : []);
    layers.hidden = all.length < 2;
    title.textContent = all.length ? `layer ${all.indexOf(chosen) + 1} of ${all.length}` : empty ? '' : 'no attention';
    for (const b of [back, on]) b.hidden = all.length < 2;
    play.hidden = speed.hidden = !all.length;
    put(told, h('div', { class: 'quiet' }, all.length ? IDLE : empty ? '' : 'Every position works by itself: no head looks anywhere.'));
    put(stage, flows().map(key => side(key)));
  }
  function mini(number) {
    const source = pictureOf(flows()[0]);
    const layer = source.layers.find(l => l.number === number);
    const lit = marked && layer && layer.heads.some(head => called(head).includes(marked));
    return h('button', { type: 'button', class: `layer ${lit ? 'lit' : ''}`, 'aria-pressed': String(number === chosen), onclick: () => choose(number), title: `layer ${number}` },
      h('span', { class: 'small' }, `${number}`), (layer ? layer.heads : []).slice(0, 4).map(head => miniGrid(weightsOf(head.cells), head.cells.kind, 30)));
  }
  function side(key) {
    const flow = pictureOf(key), layer = flow.layers.find(l => l.number === chosen), tokens = wordOf(key);
    const heads = layer ? layer.heads : [];
    const sides = flows().length, pane = stage.clientWidth || 500;
    const width = (sides > 1 && pane > 620 ? pane / 2 : pane) - 22;
    const columns = heads.length > 1 && width / 2 > 40 + 12 * (flow.size || 5) ? 2 : 1;
    const rest = layer;
    const room = { width: width / columns - 14, height: STACKED.matches ? 900 : Math.max(190, (stage.clientHeight || 420) - (rest && rest.rows.length ? 92 + 28 * Math.min(rest.rows.length, 4) : 50)) };
    return h('div', { class: 'flow' }, sides > 1 ? h('h3', { class: 'small' }, key === 'program' ? 'the program' : 'the weights') : null,
      h('div', { class: 'heads' }, heads.map(head => headCard(head, tokens, room))),
      !layer && chosen !== null ? h('p', { class: 'quiet small' }, 'no head in this layer') : null,
      rest && rest.rows.length ? rowTable(rest.rows, !heads.length) : !heads.length && !layer ? rowTable(flow.layers.flatMap(l => l.rows)) : null);
  }
  // What the program may call a head: its selector, or what it computes.
  const called = head => [head.name, ...head.outputs.map(r => r.name.replace(/ after$/, '')), ...head.name.split(', ').map(n => n.replace(/_\d+$/, ''))];
  function headCard(head, tokens, room) {
    const grid = headGrid(head, tokens, room, (one, i, j, weights) => {
      put(told, readout(one, i, j, weights, tokens));
      for (const other of stage.querySelectorAll('svg.grid')) if (other !== grid) other.light?.(null);
    });
    const name = readable(head.name), formula = head.formula && head.formula !== head.name ? readable(head.formula) : '';
    const does = head.counts ? 'counts what it selects' : head.values.length && head.cells.kind !== 'weights' ? `fetches ${head.values.map(v => readable(v.name)).join(', ')}` : '';
    return h('figure', { class: `head ${called(head).includes(marked) ? 'lit' : ''}`, 'data-names': called(head).join(' ') }, h('figcaption', {},
      options.onhead ? h('button', { type: 'button', class: 'link mono', title: 'show its line', onclick: () => options.onhead(called(head)) }, h('b', {}, name || `head ${head.label}`)) : h('b', { class: 'mono' }, name || `head ${head.label}`), ' ',
      h('span', { class: 'quiet small mono' }, formula), does ? h('span', { class: 'quiet small' }, ` ${does}`) : null,
      head.slices.length ? h('span', { class: 'quiet small' }, ' looks at pairs of keys; the weights of first keys are drawn') : null),
    h('div', { class: 'fit' }, grid));
  }
  function rowTable(rows, alone) {
    const few = rows.filter(r => r.values.length && r.values.length <= 40);
    if (!few.length) return null;
    return h('div', { class: 'elementwise scroll', tabindex: 0, role: 'region', 'aria-label': 'values at each position' },
      h('table', {}, h('caption', { class: 'small quiet' }, alone ? 'at each position' : 'then, at each position'),
        h('tbody', {}, few.map(r => h('tr', { class: r.result ? 'result' : '' }, h('th', { scope: 'row', title: r.formula || null }, readable(r.name)), r.values.map(v => h('td', {}, v)))))));
  }
  function toggle() {
    if (playing) { stop(); return; }
    put(play, icon('pause'), 'Pause');
    let row = 0, all = numbers(), layer = all.indexOf(chosen);
    const tick = () => {
      const grids = [...stage.querySelectorAll('svg.grid')];
      if (!grids.length) { stop(); return; }
      const size = grids[0].geometry.n;
      if (row >= size) {
        if (layer + 1 < all.length) layer++;
        else if (round + 1 < steps().length) { round++; all = numbers(); layer = 0; if (!all.length) { draw(); return; } } else { stop(); return; }
        chosen = all[layer]; const was = playing; draw(); playing = was || 1; put(play, icon('pause'), 'Pause'); row = 0;
      } else {
        for (const grid of grids) { grid.light(Math.min(row, grid.geometry.n - 1), null); fly(grid, row); }
        row++;
      }
      playing = setTimeout(tick, (size > 30 ? 60 : 420) / fast);
    };
    if (layer >= 0 && layer === all.length - 1 && all.length > 1) { chosen = all[0]; draw(); layer = 0; put(play, icon('pause'), 'Pause'); }
    playing = 1; tick();
  }
  // Values travel from their keys to the row's output.
  function fly(grid, i) {
    const { left, above, size, n, weights, values, own } = grid.geometry;
    if (CALM.matches || n > 30 || size < 11) return;
    weights[i]?.forEach((weight, j) => {
      if (weight <= 0) return;
      const at = h('svg:text', { class: 'flying', 'text-anchor': 'middle', x: left + j * size + size / 2, y: above + 4 }, (values || {}).values?.[j] ?? own?.[j] ?? '•');
      grid.append(at);
      at.animate([{ transform: 'none', opacity: 1 }, { transform: `translate(0,${i * size + size / 2}px)`, opacity: 1, offset: 0.6 },
        { transform: `translate(${(n - j) * size}px,${i * size + size / 2}px)`, opacity: 0.2 }], { duration: 400 / fast }).finished.then(() => at.remove(), () => at.remove());
    });
  }
  new ResizeObserver(later(() => { if (!playing && el.isConnected) draw(); }, 120)).observe(stage);
  el.show = given => { parts = given; if (which !== 'program' && !parts.weights) { which = 'program'; modes.set('program'); } draw(); };
  el.mode = key => { which = key; modes.set(key); draw(); };
  el.mark = name => { if (marked !== name) { marked = name; if (!playing && stage.querySelector('.head')) draw(); } };
  el.chooseLayer = choose;
  return el;
}
