// A Turing machine as a decoder: the tape, the tokens written so far, and where the heads look from the last of them.
const MACHINE_WORDS = { increment: '1011', palindrome: 'abba', copy: '11', tag: '', walk: '', bouncer: '111', reverse2: '110' };
async function machinesPage(query) {
  const data = await exploreData(), names = data.machines.map(m => m.name);
  let name = names.includes(query.machine) ? query.machine : 'increment', trace = [], at = 0, timer = 0, fast = 1, first = null;
  const source = n => data.machines.find(m => m.name === n).text;
  const word = h('input', { class: 'mono', value: (SERVED && query.word) || MACHINE_WORDS[name] || '', spellcheck: 'false', readonly: !SERVED });
  const steps = h('input', { type: 'number', min: 1, max: 400, value: 120, class: 'short' });
  const rules = h('textarea', { class: 'mono rules', rows: 10, readonly: !SERVED, spellcheck: 'false', 'aria-label': 'rules', value: (SERVED && query.text) || source(name) });
  const pick = choice(names, name, v => { name = v; word.value = MACHINE_WORDS[v] ?? ''; rules.value = source(v); run(); });
  const errors = h('div', {}), headline = h('p', { class: 'headline' }), facts = h('div', {}), tape = h('div', { class: 'tape', tabindex: 0, role: 'region', 'aria-label': 'tape' }), stream = h('div', { class: 'stream', tabindex: 0, role: 'region', 'aria-label': 'tokens written so far' }), looks = h('div', {});
  const slide = h('input', { type: 'range', min: 0, max: 0, value: 0, 'aria-label': 'step', oninput: () => { pause(); at = +slide.value; draw(); } });
  const play = h('button', { type: 'button', class: 'button play', onclick: toggle }, icon('play'), 'Play');
  const move = by => { pause(); at = Math.max(0, Math.min(trace.length - 1, at + by)); draw(); };
  const bar = h('div', { class: 'row' }, h('button', { type: 'button', class: 'icon', 'aria-label': 'one step back', onclick: () => move(-1) }, '◀'), h('button', { type: 'button', class: 'icon on', 'aria-label': 'one step on', onclick: () => move(1) }, '▶'), play,
    choice({ 0.5: '½×', 1: '1×', 3: '3×', 10: '10×' }, '1', v => { fast = +v; }, { 'aria-label': 'speed' }), slide);
  function pause() { clearInterval(timer); timer = 0; put(play, icon('play'), 'Play'); }
  function toggle() {
    if (timer) return pause();
    if (at >= trace.length - 1) at = 0;
    put(play, icon('pause'), 'Pause'); draw();
    const tick = () => { if (at >= trace.length - 1 || !play.isConnected) return pause(); at++; draw(); timer = setTimeout(tick, 700 / fast); };
    timer = setTimeout(tick, 500 / fast);
  }
  async function run() {
    pause();
    const own = rules.value !== source(name) ? rules.value : '';
    try {
      const r = await ask('turing', { machine: name, word: word.value, steps: Math.max(1, Math.min(400, +steps.value || 1)), ...(own ? { text: own } : {}) }, 'turing');
      put(errors); trace = r.trace; slide.max = Math.max(0, trace.length - 1); at = first === null ? Math.max(0, Math.min(trace.length - 1, (+query.at || 1) - 1)) : 0; first = r;
      put(headline, r.agrees ? ['Every step of the decoder ', h('b', { class: 'good' }, 'agrees'), ' with the machine: ', h('b', {}, counted(r.steps, 'step')), r.halted ? ', halted.' : ', not halted yet.'] : [h('b', { class: 'bad' }, 'A step differs'), ' from the machine.']);
      put(facts, chips(chip(h('b', {}, counted(r.decoder.attention_layers, 'layer'))), chip(`heads ${r.decoder.heads.join(', ')}`), chip(`${grouped(r.decoder.parameters)} parameters`), chip(`${r.attention} attention`)));
      draw();
    } catch (refused) { put(errors, problem(refused.error)); }
  }
  function draw() {
    const line = trace[at];
    if (!line) { put(tape); put(stream); put(looks); return; }
    slide.value = at; slide.setAttribute('aria-valuetext', `step ${line.step}`);
    remember('machines', { machine: name, word: word.value, text: rules.value !== source(name) ? rules.value : '', at: at ? String(at + 1) : '' });
    put(tape, h('div', { class: 'small quiet' }, `step ${line.step} · state `, h('b', {}, line.state)), tapeCells(line.tape));
    const prompt = ['<s>', ...(first.word.length ? first.word : []), '<go>'];
    const tokens = [...prompt, ...trace.slice(0, at).map(t => t.token)];
    const read = line.looks.filter(l => l.position !== null && l.position < tokens.length);
    drawStream(stream, tokens, read, line.token, prompt.length);
    put(looks, h('ul', { class: 'looks' }, line.looks.map((l, k) => h('li', {}, l.position === null ? h('span', { class: 'dot quiet' }, '•') : h('span', { class: 'dot', style: `color:var(--layer${1 + (read.indexOf(l) % 5)})` }, '●'), ` ${sentence(l.head)} `,
      h('span', { class: 'quiet' }, l.position === null ? 'looks at all positions' : 'looks at '), l.position === null ? null : h('b', { class: 'mono' }, `${l.token}`), l.position === null ? null : h('span', { class: 'quiet' }, ` (position ${l.position})`)))));
  }
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Machines'), h('p', { class: 'lead' }, 'A decoder of three layers runs a Turing machine: it writes one token for each step. Nothing else is kept; the tape is read back from the tokens by attention.'),
    errors, headline, facts, tape, bar, h('h2', {}, 'The chain of thought'), stream, looks,
    h('details', {}, h('summary', {}, 'The machine, its word and its rules'), h('div', { class: 'controls wide' }, field('machine', pick), SERVED ? field('most steps', steps) : null), rules, SERVED ? h('button', { type: 'button', class: 'button primary', onclick: run }, 'Run') : without('Words and machines of your own: ', h('code', {}, 'capax serve'), ' or ', h('code', {}, 'capax tm'), '.')),
    related([['can', 'turing-machine', 'Theorem: a Turing machine is a decoder of three layers'], ['can', 'counter-machine', 'Theorem: counter machines by one head'], ['cannot', 'cot-composition', 'Limit: how many steps of thought are needed']], 'capax tm increment 1011 --trace')), 'Machines');
  bar.before(h('div', { class: 'row quick' }, field('machine', choice(names, name, v => { pick.value = v; pick.dispatchEvent(new Event('change')); })), field('word', word)));
  word.addEventListener('keydown', e => { if (e.key === 'Enter') run(); });
  run();
}
function tapeCells(tape) {
  for (const [open, close] of [['[', ']'], ['(', ')']]) {
    if (!tape.includes(open) || !tape.includes(close)) continue;
    const before = tape.slice(0, tape.indexOf(open)), rest = tape.slice(tape.indexOf(open) + 1), under = rest.slice(0, rest.indexOf(close)), after = rest.slice(rest.indexOf(close) + 1);
    const cells = text => (text.trim().includes(' ') ? text.trim().split(/\s+/) : text.startsWith('...') ? ['…', ...text.slice(3)] : text.endsWith('...') ? [...text.slice(0, -3), '…'] : [...text]);
    return h('div', { class: 'cells' }, cells(before).map(c => h('span', {}, c)), h('span', { class: 'head' }, under), cells(after).map(c => h('span', {}, c)));
  }
  return h('div', { class: 'mono' }, tape);
}
// Tokens in a row, with arcs from the last one to those that the heads read.
function drawStream(box, tokens, read, next, prompt) {
  const shown = tokens.length > 60 ? tokens.length - 60 : 0, wide = [];
  let x = 4;
  for (let k = shown; k < tokens.length; k++) { const w = 14 + 7.6 * tokens[k].length; wide[k] = [x, w]; x += w + 5; }
  const nextWide = 14 + 7.6 * next.length, last = tokens.length - 1, total = x + nextWide + 24, height = 118, y = 84;
  const middle = k => wide[k][0] + wide[k][1] / 2;
  const arcs = read.filter(l => l.position >= shown).map((l, n) => {
    const a = middle(last), b = middle(l.position), rise = a === b ? 24 : Math.min(70, 14 + Math.abs(a - b) / 5);
    return h('svg:path', { d: a === b ? `M${a - 6} ${y}c-8 -26 20 -26 12 0` : `M${a} ${y}C${a} ${y - rise} ${b} ${y - rise} ${b} ${y}`, class: 'arc', style: `stroke:var(--layer${1 + (n % 5)})` });
  });
  const at = h('svg:svg', { width: total, height, viewBox: `0 0 ${total} ${height}`, role: 'img', 'aria-label': `${tokens.join(' ')}, and next ${next}` }, arcs,
    tokens.map((t, k) => (k < shown ? null : h('svg:g', { class: k < prompt ? 'prompt' : k === last ? 'last' : '' }, h('svg:rect', { x: wide[k][0], y, width: wide[k][1], height: 26, rx: 5 }), h('svg:text', { x: middle(k), y: y + 17.5, 'text-anchor': 'middle' }, t)))).filter(Boolean),
    h('svg:text', { x: x + 4, y: y + 17.5 }, '→'), h('svg:g', { class: 'next' }, h('svg:rect', { x: x + 20, y, width: nextWide, height: 26, rx: 5 }), h('svg:text', { x: x + 20 + nextWide / 2, y: y + 17.5, 'text-anchor': 'middle' }, next)));
  put(box, at);
  box.scrollLeft = box.scrollWidth;
}
