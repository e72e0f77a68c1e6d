// Build: a program, its attention, and its weights.
const NUMBERS = ['float32', 'float64', 'bfloat16'];
async function buildPage(query) {
  const data = await startData();
  const first = data.programs.find(p => p.name === query.example) || data.programs[0];
  const state = { text: query.text ?? first.text.trim(), word: query.word ?? first.word, split: SPLITS[query.split] ? query.split : 'chars', name: query.name || '' };
  let longest = +(query.length || 0) || first.longest, letters = query.alphabet || '', model = null, took = 0;
  let causal = query.causal === '1', dtype = NUMBERS.includes(query.dtype) ? query.dtype : 'float32';
  const bench = workbench(state, data.names, { modes: true, onedit: edited, onanswer: answered });
  const examples = choice([['', 'Examples'], ...data.programs.map(p => [p.name, p.title])], '', v => {
    const p = data.programs.find(one => one.name === v);
    if (!p) return;
    letters = ''; longest = p.longest; length.value = longest;
    bench.set({ text: p.text.trim(), word: p.word, split: 'chars' }); examples.value = '';
    heading.textContent = p.title;
  }, { 'aria-label': 'examples', class: 'examples' });
  const heading = h('h1', { class: 'small-title' }, query.text ? 'Your program' : first.title);
  const cost = h('div', { class: 'costs' });
  const alphabet = h('input', { class: 'mono', size: 10, value: letters, autocapitalize: 'off', spellcheck: 'false', oninput: () => { letters = alphabet.value; recompile(); } });
  const auto = h('button', { type: 'button', class: 'link small', onclick: () => { letters = ''; alphabet.value = autoAlphabet(); auto.hidden = true; compile(); } }, 'auto');
  const length = h('input', { type: 'number', min: 1, max: 200, value: longest, class: 'short', oninput: () => { longest = +length.value || 1; recompile(); } });
  const hidden = h('input', { type: 'checkbox', checked: causal, title: 'no position sees a later one', oninput: () => { causal = hidden.checked; edited(); compile(); } });
  const numbers = choice(NUMBERS, dtype, v => { dtype = v; edited(); compile(); }, { 'aria-label': 'number system' });
  const button = h('button', { type: 'button', class: 'button primary compile', onclick: compile }, 'Compile');
  const verdict = h('div', { class: 'verdict-line' }, h('span', { class: 'quiet' }, 'Not compiled yet.'));
  const details = h('div', { class: 'compiled-details' });
  const recompile = later(compile, 700);
  const autoAlphabet = () => {
    const separate = state.split === 'chars' ? '' : ' ';
    const given = state.split === 'chars' ? [...state.word] : state.word.split(/\s+/).filter(Boolean);
    const constants = state.split === 'chars' ? [...state.text.replace(/#[^\n]*/g, '').matchAll(/"([^"\\\n])"/g)].map(m => m[1]) : [];
    return [...new Set([...given, ...constants])].sort().join(separate);
  };
  function edited() {
    remember('build', { text: state.text, word: state.word, split: state.split === 'chars' ? '' : state.split, name: state.name, alphabet: letters, length: longest === 12 ? '' : String(longest), causal: causal ? '1' : '', dtype: dtype === 'float32' ? '' : dtype });
  }
  function answered(reply) {
    edited();
    put(cost, costs(reply.layers));
    if (!letters) alphabet.value = autoAlphabet();
    auto.hidden = !letters;
    bench.parts.weights = null; model = null; details.classList.add('old');
    if (took < 2500) recompile(); else put(verdict, h('span', { class: 'quiet' }, 'The program has changed since it was compiled.'));
  }
  async function compile() {
    details.classList.remove('old');
    if (!bench.good || bench.good.run.kind === 'selector') { put(verdict, h('span', { class: 'quiet' }, 'A selector is compiled with what it fetches: show an s-op.')); put(details); return; }
    const request = { text: state.text.replace(/\s*$/, '\n').replace(/([^;}\s])\n$/, (all, c) => (/#[^\n]*$/.test(all) ? all : `${c};\n`)), word: state.word, split: state.split, name: state.name, alphabet: alphabet.value, max_length: Math.max(1, Math.min(200, longest)), causal, dtype };
    const start = performance.now();
    button.setAttribute('aria-busy', 'true'); details.classList.add('old');
    try {
      const reply = await ask('compile', request, 'compile');
      took = reply.shelf ? 0 : performance.now() - start; model = reply.model;
      compiled(reply);
    } catch (refused) {
      took = performance.now() - start;
      put(verdict, chip('not compiled', SERVED ? 'bad' : ''), ' ', h('span', {}, prose(sentence(plainly(refused.error.what)))));
      put(details, refused.error.hint ? h('p', { class: 'small quiet' }, prose(plainly(refused.error.hint))) : null);
      bench.parts.weights = null; bench.pane.show(bench.parts);
    }
    button.removeAttribute('aria-busy'); details.classList.remove('old');
  }
  function compiled(reply) {
    const c = reply.compiled, size = c.size, good = c.certified_length > 0;
    put(verdict, chip(good ? '● certified' : '○ tested', good ? 'good' : ''), ' ', h('b', {}, good ? c.label.replace(/^certified /, '') : c.label), h('span', { class: 'quiet' }, ` · ${counted(size.attention_layers, 'layer')} · ${grouped(size.parameters)} parameters · width ${size.width}`));
    if (reply.shelf && !letters) { alphabet.value = reply.shelf.alphabet; length.value = longest = reply.shelf.longest; }
    put(details, compared(reply), c.causal_change?.changes ? h('p', { class: 'small' }, causalChange(c.causal_change)) : null,
      reply.shelf ? h('p', { class: 'small quiet' }, `A compiled model from the shelf, for words of up to ${counted(reply.shelf.longest, 'letter')} over its alphabet${reply.ran ? `; your word went through its weights in this page, by ${reply.ran}` : ''}.`) : null,
      h('div', { class: 'downloads' }, h('span', { class: 'quiet small' }, 'Take it away'),
        saveButton('safetensors', () => download('model.safetensors', model, 'base64')),
        SERVED ? ['torch', 'onnx'].map(to => saveButton({ torch: 'PyTorch', onnx: 'ONNX' }[to], () => exported(to))) : null,
        saveButton('TransformerLens notebook', notebook)),
      h('details', {}, h('summary', {}, 'What was proved, and what was tried'),
        h('p', { class: 'small' }, sentence(c.label), '. ', good ? 'A proof bounds every rounding error on every word of the domain, in any order of summation.' : ''),
        h('ul', { class: 'small' }, (c.check.parts.length ? c.check.parts : [c.check]).map(one => h('li', {}, chip(one.holds ? 'holds' : 'fails', one.holds ? 'good' : 'bad'), ` ${sentence(one.statement)} (${counted(one.count, 'word')})`))),
        h('p', { class: 'small' }, 'To check it elsewhere: ', h('code', {}, 'capax verify --certificate model.safetensors')),
        table(['head', 'what it does', 'where'], reply.explanation.layers.flatMap(l => l.heads.map(one => [h('span', { class: 'mono' }, one.head), one.origin ? readable(one.origin.what) : one.name, (one.origin && !one.origin.location.startsWith('rasplib') ? `line ${one.origin.location.split(':')[1]}` : 'library')])), 'the heads of the model')));
    bench.parts.weights = reply.attention.flow;
    bench.parts.tokens.weights = reply.attention.word || [];
    bench.pane.show(bench.parts);
    if (reply.attention.note) details.prepend(h('p', { class: 'small quiet' }, `The weights are drawn on “${reply.attention.word.join('')}”: ${reply.attention.note}.`));
  }
  // The model's own answers beside the interpreter's, on the input.
  function compared(reply) {
    const { word, flow } = reply.attention, run = bench.good?.run;
    const answers = flow?.layers.at(-1)?.rows.find(row => row.name === 'answers')?.values.slice(-word.length);
    if (!answers || !run || word.join('\0') !== run.input.join('\0')) return null;
    const right = reply.expected?.values ?? (causal ? null : bench.good.values?.[run.program]?.values ?? run.values.map(shortly));
    const wrong = right ? answers.filter((one, k) => !sameAnswer(one, right[k])).length : 0;
    return h('p', { class: 'compared small' }, h('span', { class: 'quiet' }, 'The weights answer '), h('span', { class: 'answer mono' }, answers.map((one, k) => h('i', { class: right && !sameAnswer(one, right[k]) ? 'bad' : '' }, tokenText(one)))), ' ',
      right ? h('b', { class: wrong ? 'bad' : 'good' }, wrong ? `✗ ${counted(wrong, 'answer')} unlike the interpreter’s: ${right.map(tokenText).join(' ')}` : `✓ as the interpreter does${causal ? `, of ${reply.expected.about}` : ''}`) : null);
  }
  const saveButton = (text, work) => h('button', { type: 'button', class: 'button small', onclick: work }, text);
  async function exported(to) {
    say(`exporting to ${to}`);
    const note = h('span', { class: 'small quiet' }, ' exporting …'); details.querySelector('.downloads').append(note);
    try {
      const reply = await ask('export', { to, model }, 'export');
      download(`model-${to}.zip`, reply.archive, 'base64'); note.remove();
    } catch (refused) { put(note, problem(refused.error)); }
  }
  function notebook() { download('capax.ipynb', notebookOf(state, alphabet.value, longest, `${causal ? ', causal=True' : ''}${dtype === 'float32' ? '' : `, dtype="${dtype}"`}`)); }
  bench.word.closest('.field').querySelector('label').textContent = 'input';
  const lower = h('div', { class: 'weights-bar' }, h('div', { class: 'weights-row' }, h('h2', {}, 'Weights'), verdict), h('div', { class: 'weights-row settings' },
    SERVED ? [field('alphabet', alphabet), auto, field('length', length), field('numbers', numbers), field('causal', hidden), h('span', { class: 'grow' }), button] : null), details);
  const right = h('section', { class: 'pane picture-pane', 'aria-label': 'Picture and weights' }, bench.stale, bench.pane);
  right.append(lowerBar(right, lower), lower);
  const page = panes(h('section', { class: 'pane code-pane', 'aria-label': 'Program' },
    h('div', { class: 'pane-head' }, heading, h('span', { class: 'grow' }), examples), bench.editor, bench.input, bench.result, bench.which, bench.problems, cost), right);
  show(page, 'Build');
  auto.hidden = true;
  await bench.evaluate();
}
// Answers are the same texts, or numbers that differ by rounding only.
const sameAnswer = (a, b) => a === b || (a !== '' && b !== '' && Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b)));
function causalChange({ word, program, causal }) {
  const outcome = one => (one.values ? one.values.map(shortly).join(' ') : 'an error');
  return ['No position sees a later one, which changes the program: on ', h('code', {}, word.map(shortly).join(' ')), ' it gives ', h('code', {}, outcome(program)), ' as written, and the weights give ', h('code', {}, outcome(causal)), '.'];
}
// Layers and heads of a program, in words.
function costs(c) {
  if (!c) return h('p', { class: 'quiet small' }, 'The layers of a loop are counted, and its rounds drawn, by ', h('code', {}, 'capax serve'), '.');
  if (c.depth) return loopCosts(c);
  const heads = c.heads_merged, inside = c.fragments.filter(f => f.inside);
  return h('div', {}, chips(chip(h('b', {}, counted(c.layers, 'layer')), ''), heads.some(Boolean) ? chip([...new Set(heads)].length === 1 ? `${counted(heads[0], 'head')} each` : `heads ${heads.join(', ')}`) : null,
    inside.map(f => chip(f.dialect, 'good'))),
  c.layers ? h('details', {}, h('summary', {}, `Why ${counted(c.layers, 'layer')}?`),
    h('ul', { class: 'small' }, c.critical_path.map(r => h('li', {}, readable(r.text))), c.critical_path.length ? null : h('li', {}, 'One round of attention is enough: no head needs what another one computes.')),
    h('ul', { class: 'small' }, c.heads.map(one => h('li', {}, `layer ${one.layer}: `, h('code', {}, readable(one.selector)), one.counts ? ' is counted' : ` fetches ${one.values.map(readable).join(', ')}`,
      one.mask ? `, ${one.mask} mask` : ''))),
    c.fragments.filter(f => !f.inside && f.reasons.length).map(f => h('p', { class: 'small quiet' }, `Not in ${f.dialect}: `, prose(f.reasons[0].what), '.'))) : null);
}
// Of a loop: the layers before it, in each round and after it.
function loopCosts(c) {
  const { before, loop, after, rounds } = c.layers;
  return h('div', {}, chips(chip(h('b', {}, `${before ? `${before} + ` : ''}${loop === 1 ? '' : `${loop} × `}${rounds}${after ? ` + ${after}` : ''} layers`)), chip('one block, run in rounds', 'good')),
    h('details', {}, h('summary', {}, 'How many is that?'), h('ul', { class: 'small' }, Object.entries(c.depth).map(([n, depth]) => h('li', {}, `${counted(depth, 'layer')} at length ${grouped(n)}`)))));
}
function notebookOf(state, alphabet, length, more) {
  const cell = source => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source });
  const given = state.split === 'chars' ? JSON.stringify(state.word) : JSON.stringify(state.word.split(/\s+/).filter(Boolean).map(v => (state.split === 'words' ? v : +v)));
  const letters = state.split === 'chars' ? JSON.stringify(alphabet) : JSON.stringify(alphabet.split(/\s+/).filter(Boolean).map(v => (state.split === 'words' ? v : +v)));
  const cells = [
    { cell_type: 'markdown', metadata: {}, source: '# A program as a transformer\nMade in the capax playground. It needs capax: `pip install .` in a clone, or `pip install ".[lens]"` for TransformerLens.' },
    cell(`import capax\n\nsource = ${JSON.stringify(state.text)}\nopen("program.rasp", "w").write(source)\nprogram = capax.load("program.rasp").${state.name}\nprogram(${given})`),
    cell(`model = capax.compile(program, alphabet=${letters}, max_length=${length}${more})\nmodel`),
    cell(`model(${given})`),
    cell('lens = model.to_transformer_lens()  # a HookedTransformer, with the extra `lens`\nlens.cfg.n_layers, lens.cfg.n_heads'),
  ];
  return JSON.stringify({ cells, metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } }, nbformat: 4, nbformat_minor: 5 }, null, 1);
}
