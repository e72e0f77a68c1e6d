// Explore: what can be computed and what cannot; theorems, limits, and a small model that is fooled.
const ROOMS = [
  ['languages', 'Languages', 'Type a regular language. Which transformers recognise it, with proofs, models and the classes around it.'],
  ['can', 'Can', 'Theorems that build a transformer. Change the sizes; the model is built and checked while you watch.'],
  ['cannot', 'Cannot', 'Lower bounds as calculators: at which size does one layer provably fail?'],
  ['machines', 'Machines', 'A Turing machine whose run is a chain of thought, step by step.'],
  ['audit', 'Audit', 'Is a trained model right on every word? A proof by length, or the word that it gets wrong.'],
  ['experiments', 'Experiments', 'What training finds, beside what theory allows.'],
];
function explorePage() {
  show(h('div', { class: 'page' }, h('h1', {}, 'Explore what attention can and cannot do'), h('p', { class: 'lead' }, 'Theorems as running models, limits as calculators, and everything that is known in between, with sources.'),
    h('div', { class: 'cards three' }, ROOMS.map(([to, title, text]) => h('a', { class: 'card go', href: `#/${to}` }, h('h2', {}, title), h('p', {}, text))))), 'Explore');
}
const crumbs = (to, title) => h('nav', { class: 'crumbs small', 'aria-label': 'you are here' }, link('explore', 'Explore'), to ? [' › ', link(to, title)] : []);
// Groups of theorems, by words of their titles.
const KINDS = { all: 'All', languages: 'Languages', functions: 'Functions', ngram: 'n-grams', machines: 'Machines', logic: 'Logic and circuits' };
function kindOfTheorem(one) {
  if (one.name.startsWith('ngram')) return 'ngram';
  if (/turing|counter-machine|automaton|log-depth|log-rounds/.test(one.name)) return 'machines';
  if (/circuit|formula|ltl|quantifiers|predicates|temporal/.test(one.name)) return 'logic';
  if (/dyck|parity|majority|first$|star-free|periodic|solvable|modular|equality/.test(one.name)) return 'languages';
  return 'functions';
}
async function canPage(query) {
  const data = await exploreData();
  if (query.name && data.theorems.some(t => t.name === query.name)) return theoremPage(query, data);
  const grid = h('ul', { class: 'shelf' });
  const filter = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'filter theorems', oninput: fill });
  let kind = 'all';
  const kinds = segments('kind', KINDS, 'all', k => { kind = k; fill(); });
  function fill() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.theorems.filter(t => (kind === 'all' || kindOfTheorem(t) === kind) && words.every(w => `${t.name} ${t.title} ${t.attention} ${t.citation}`.toLowerCase().includes(w)));
    put(grid, found.map(t => h('li', {}, h('a', { class: 'card go small-card', href: `#/can?name=${t.name}` }, h('h2', {}, t.title), h('p', { class: 'small quiet' }, t.attention)))));
    say(counted(found.length, 'theorem'));
  }
  fill();
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Can'), h('p', { class: 'lead' }, `${data.theorems.length} theorems. Each builds a transformer, and checks it at sizes that you choose.`), h('div', { class: 'row filters' }, filter, kinds), grid), 'Can');
}
function statementOf(one) {
  const rest = one.limits || one.escapes;
  return h('details', { class: 'statement' }, h('summary', {}, 'The statement in full, its assumptions and source'), h('p', {}, sentence(one.statement)), h('ul', {}, one.assumptions.map(a => h('li', {}, sentence(a)))),
    rest ? h('p', {}, h('b', {}, one.limits ? 'What it leaves open. ' : 'What it does not forbid. '), rest) : null, h('p', { class: 'quiet' }, one.citation));
}
// Sliders and lists for parameters; those outside `first` fold away. `values()` are those that differ from the defaults.
function controls(parameters, query, changed, reach, first) {
  const now = {}, parts = {};
  const make = ([name, p]) => {
    const label = name.replaceAll('_', ' ');
    now[name] = query[name] ?? String(p.default);
    if (String(p.range).includes(' | ')) return field(label, choice(p.range.split(' | '), now[name], v => { now[name] = v; changed(); }), plainOption(p.what));
    if (typeof p.default !== 'number' || !Number.isInteger(p.default)) return field(label, h('input', { value: now[name], onchange: e => { now[name] = e.target.value; changed(); } }), plainOption(p.what));
    const steps = scaleOf(p, reach[name], now[name]);
    const nearest = steps.reduce((best, v, k) => (Math.abs(v - now[name]) < Math.abs(steps[best] - now[name]) ? k : best), 0);
    const out = h('output', {}, grouped(now[name])), id = `p-${name}`;
    const slide = h('input', { type: 'range', id, min: 0, max: steps.length - 1, value: nearest, 'aria-describedby': `${id}-what`, 'aria-valuetext': now[name], oninput: () => { now[name] = String(steps[slide.value]); out.textContent = grouped(now[name]); slide.setAttribute('aria-valuetext', now[name]); changed(); } });
    parts[name] = v => { now[name] = String(Math.round(v)); out.textContent = grouped(now[name]); slide.value = steps.reduce((best, s, k) => (Math.abs(s - v) < Math.abs(steps[best] - v) ? k : best), 0); };
    return h('div', { class: 'field slider' }, h('div', { class: 'slider-head' }, h('label', { for: id }, label), out), slide, h('span', { class: 'quiet small', id: `${id}-what` }, plainOption(p.what)));
  };
  const entries = Object.entries(parameters);
  const open = entries.filter(([name]) => !first || first.includes(name)), folded = entries.filter(([name]) => first && !first.includes(name));
  const el = h('div', { class: 'controls' }, open.map(make), folded.length ? h('details', { open: folded.some(([n]) => query[n] !== undefined) }, h('summary', {}, 'Advanced'), h('div', { class: 'controls' }, folded.map(make))) : null);
  el.values = () => Object.fromEntries(Object.entries(now).filter(([name, v]) => String(v) !== String(parameters[name].default)));
  el.now = now;
  el.set = (name, v) => { parts[name]?.(v); changed(); };
  return el;
}
const plainOption = text => sentence(String(text).replace(/--(\w+)/g, '“$1”').replace(/; 0: as “bits”/, ' (0: the same as “bits”)'));
function scaleOf(p, most, also) {
  const low = Math.max(0, p.least ?? 0), high = Math.max(Math.min(p.most ?? 1e6, most ?? Infinity, 1e6), p.default, low + 1);
  const set = new Set([p.default, low, +also].filter(v => Number.isFinite(v) && v >= low));
  if (high - low <= 200) for (let v = low; v <= high; v++) set.add(v);
  else for (let k = 0; k <= 200; k++) set.add(Math.round(Math.max(low, 1) * (high / Math.max(low, 1)) ** (k / 200)));
  return [...set].sort((a, b) => a - b);
}
const THEOREM_REACH = { length: 400, n: 60, modulus: 60, hops: 16, symbols: 30, steps: 300, cells: 200, m: 400 };
// What is about the same thing: theorem, language of the atlas, puzzle.
const TOGETHER = [['majority', 'MAJORITY', 'majority'], ['parity', 'PARITY', 'odd'], ['first', 'FIRST', 'opening'], ['dyck1', 'DYCK-1', 'balanced'], ['dyck', 'DYCK-k', 'balanced'], ['bounded-dyck', 'DYCK-k,D', 'brackets'], ['shuffle-dyck', 'SHUFFLE-DYCK-k', 'brackets'], ['modular-counters', 'MOD-p', 'odd'], ['solvable-group', 'S5', ''], ['log-depth', 'S5', ''], ['log-rounds', 'S5', ''], ['star-free', '(ab)*', ''], ['periodic-positions', '(aa)*', ''], ['k-hop', '', 'induction'], ['reverse-by-attention', '', 'reverse'], ['ngram-one-head', '', 'induction']];
// The page of the documentation, where it is beside this file.
const docsPage = (folder, name) => (FACTS.docs ? h('a', { href: `${FACTS.docs}reference/${folder}/${name}.html` }, 'Its page in the docs') : null);
function beside(theorems, start) {
  const found = TOGETHER.filter(([name]) => theorems.includes(name)), puzzle = name => start.puzzles.find(p => p.name === name);
  return [...found.filter(one => one[1]).map(([, id]) => link(`languages?language=${encodeURIComponent(id)}`, `The atlas: which transformers recognise ${id}`)),
    ...found.filter(one => puzzle(one[2])).map(one => link(`puzzle?name=${one[2]}`, `Puzzle: ${puzzle(one[2]).title}`)),
    ...(theorems.some(name => name.startsWith('turing') || name === 'counter-machine') ? [link('machines', 'Machines: watch one run, step by step')] : [])];
}
async function theoremPage(query, data) {
  const one = data.theorems.find(t => t.name === query.name);
  const verdict = h('p', { class: 'headline' }, h('span', { class: 'quiet' }, 'Building …')), facts = h('div', {}), picture = h('div', {}), checks = h('div', {}), broke = h('div', { 'aria-live': 'polite' }), errors = h('div', {});
  const changed = later(build, 300);
  const sizes = controls(one.parameters, SERVED ? query : {}, changed, THEOREM_REACH);
  const pane = attentionPane({});
  async function build() {
    remember('can', { name: one.name, ...sizes.values() });
    verdict.classList.add('old');
    try {
      const { theorem: r, attention } = await ask('theorem', { name: one.name, given: sizes.values() }, 'theorem');
      put(errors); verdict.classList.remove('old');
      put(verdict, r.holds ? ['It holds: ', h('b', { class: 'good' }, r.proof ? r.proof.label : `right on ${grouped(r.check.count)} inputs`), '.'] : [h('b', { class: 'bad' }, 'It fails here.'), ' The check found a counterexample.']);
      put(facts, chips(chip(h('b', {}, counted(r.model.attention_layers, 'layer'))), chip(`heads ${r.model.heads.join(', ')}`), chip(`width ${grouped(r.model.width)}`), chip(`${grouped(r.model.parameters)} parameters`), r.oracles ? chip(counted(r.oracles, 'arbitrary map'), 'bad') : null),
        r.sizes.length ? table(['size', 'built', 'bound', ''], r.sizes.map(s => [s.what, h('b', {}, typeof s.built === 'number' ? grouped(s.built) : s.built), typeof s.bound === 'number' ? grouped(s.bound) : s.bound, h('span', { class: 'small quiet' }, s.note)]), 'sizes and bounds') : null);
      put(checks, checkList(r.check));
      if (attention.flow) { pane.show({ program: attention.flow, tokens: { program: attention.word || [] } }); put(picture, h('h2', {}, 'Its attention on ', h('span', { class: 'mono' }, (attention.word || []).join(' '))), pane); } else put(picture);
    } catch (refused) { put(errors, problem(refused.error)); }
  }
  async function broken() {
    put(broke, h('p', { class: 'quiet' }, 'Trying …'));
    try {
      const r = await ask('break', { name: one.name, given: sizes.values() }, 'break');
      put(broke, h('p', {}, r.broken ? ['Without its assumption (', h('i', {}, r.check.statement), ') ', h('b', { class: 'bad' }, 'it breaks'), '.'] : 'It still holds on what was tried.'), checkList(r.check));
    } catch (refused) { put(broke, problem(refused.error)); }
  }
  const limits = data.limits.filter(l => l.theorems.includes(one.name)), start = await startData();
  show(h('div', { class: 'page' }, crumbs('can', 'Can'), h('h1', {}, one.title), verdict, errors, statementOf(one),
    h('div', { class: 'side' }, h('section', { 'aria-label': 'Sizes' }, h('h2', {}, 'Sizes'), SERVED ? sizes : [table(['', ''], Object.entries(sizes.now).map(([name, v]) => [name.replaceAll('_', ' '), h('b', {}, Number.isNaN(+v) ? v : grouped(v))]), 'sizes'), without('Other sizes: ', h('code', {}, 'capax serve'), ' or ', h('code', {}, `capax theorem ${one.name}`), '.')]),
      h('div', {}, facts, picture, h('h2', {}, 'What was checked'), checks, h('h2', {}, 'Without an assumption'), h('p', { class: 'quiet' }, 'Take an assumption away and try again: where it fails, an input shows it.'), h('button', { type: 'button', class: 'button', onclick: broken }, 'Break it'), broke,
        related(limits.map(l => ['cannot', l.name, `The limit beside it: ${l.title}`]), `capax theorem ${one.name}`, ...beside([one.name], start), docsPage('theorems', one.name))))), `${one.title} · Can`);
  build();
}
function checkList(check) {
  return h('ul', { class: 'checks' }, (check.parts.length ? check.parts : [check]).map(one => h('li', {}, h('b', { class: one.holds ? 'good' : 'bad' }, one.holds ? '✓ ' : '✗ '), h('span', { class: 'unseen' }, one.holds ? 'holds: ' : 'fails: '), sentence(one.statement),
    h('span', { class: 'quiet' }, one.count ? ` (${one.evidence}, ${counted(one.count, 'word')})` : ` (${one.evidence})`), one.counterexample ? h('div', {}, counterexample(one.counterexample)) : null)));
}
// A counterexample in words, not as data.
function counterexample(found) {
  if (typeof found !== 'object') return String(found);
  const text = v => (Array.isArray(v) ? v.map(x => (Array.isArray(x) ? `(${x.join(', ')})` : shortly(x))).join(' ') : typeof v === 'boolean' ? (v ? 'yes' : 'no') : v === null ? 'none' : typeof v === 'object' ? Object.entries(v).map(([k, x]) => `${k} ${text(x)}`).join(', ') : String(v));
  const { word, model, right, ...rest } = found;
  return h('p', { class: 'small counterexample' }, word !== undefined ? ['On ', h('code', {}, text(word) || 'the empty word'), ' '] : null,
    model !== undefined ? ['the model answers ', h('b', { class: 'bad' }, text(model)), ', and ', h('b', { class: 'good' }, text(right)), ' is right. '] : null,
    Object.entries(rest).map(([k, v]) => [`${sentence(k.replaceAll('_', ' '))}: `, h('code', {}, text(v).slice(0, 300)), '. ']));
}
function related(links, command, ...more) {
  return h('aside', { class: 'related', 'aria-label': 'Related' }, h('h2', {}, 'Go on'), h('ul', {}, links.map(([to, name, text]) => h('li', {}, link(`${to}?name=${encodeURIComponent(name)}`, text))), more.filter(Boolean).map(one => h('li', {}, one)),
    command ? h('li', {}, 'In a terminal: ', h('code', {}, command)) : null));
}
