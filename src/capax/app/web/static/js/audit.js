// Audit: a trained model against a specification; and small pages: experiments, the class, help, the landing page.
const MOST_BYTES = 20e6;
async function auditPage(query) {
  const data = await exploreData();
  let files = null;
  const first = data.models.find(m => m.name === query.example) || data.models[0];
  const example = choice([...data.models.map(m => [m.name, m.title]), ...(SERVED ? [['files', 'files of yours']] : [])], first.name, v => { chooser.hidden = v !== 'files'; const m = data.models.find(x => x.name === v); if (m) { files = null; against.value = m.against; length.value = m.longest; suggest(m); go(); } });
  const against = h('input', { class: 'mono', value: query.against ?? first.against, spellcheck: 'false', readonly: !SERVED });
  const length = h('input', { type: 'number', min: 1, max: 200, value: (SERVED && query.length) || first.longest, class: 'short', readonly: !SERVED });
  const options = { read: '', alphabet: '', answers: '', end: '' };
  const option = (name, label, note) => field(label, h('input', { class: 'mono', oninput: e => { options[name] = e.target.value; } }), note);
  const picked = h('p', { class: 'small quiet' });
  const chooser = h('div', { hidden: true }, h('label', {}, 'model.safetensors, with config.json and tokenizer.json if there are ', h('input', { type: 'file', multiple: true, accept: '.safetensors,.json', onchange: async e => {
    const chosen = [...e.target.files];
    if (chosen.reduce((n, f) => n + f.size, 0) > MOST_BYTES) { put(errors, problem({ what: 'files of up to 20 MB are audited here', hint: 'capax audit has no such limit' })); return; }
    files = Object.fromEntries(await Promise.all(chosen.map(async f => [f.name, await base64Of(f)])));
    picked.textContent = `${chosen.map(f => f.name).join(', ')}. Pickles are refused; files are forgotten with the answer.`;
  } })), picked);
  const ideas = h('div', { class: 'row try' });
  const suggest = m => put(ideas, h('span', { class: 'quiet small' }, 'Against'), [m.against, ...m.others].map(a => h('button', { type: 'button', class: 'pick mono', onclick: () => { against.value = a; go(); } }, a)));
  const errors = h('div', {}), headline = h('p', { class: 'headline' }), facts = h('div', {}), wordBox = h('div', {}), picture = h('div', {}), plot = h('div', {}), rows = h('div', {});
  const button = h('button', { type: 'submit', class: 'button primary' }, 'Audit');
  const pane = attentionPane({});
  const form = h('form', { class: 'ask', onsubmit: e => { e.preventDefault(); go(); } }, field('model', example), field('against', against), field('lengths up to', length), SERVED ? button : null);
  async function go() {
    if (example.value === 'files' && !files) { put(errors, problem({ what: 'choose the files of a model first' })); return; }
    remember('audit', { example: example.value === 'files' ? '' : example.value, against: against.value, length: length.value });
    button.setAttribute('aria-busy', 'true'); headline.classList.add('old');
    const request = { ...(example.value === 'files' ? { files } : { example: example.value }), against: against.value, max_length: +length.value || 1, ...Object.fromEntries(Object.entries(options).filter(([, v]) => v)) };
    try { put(errors); answered(await ask('audit', request, 'audit')); } catch (refused) { put(errors, problem(refused.error)); [headline, facts, wordBox, picture, plot, rows].forEach(part => put(part)); }
    button.removeAttribute('aria-busy'); headline.classList.remove('old');
  }
  function answered(r) {
    const a = r.audit, wrong = a.lengths.map(l => l.counterexample).find(Boolean), at = r.attention;
    put(headline, sentence(a.summary), '.');
    put(facts, chips(['proved', 'wrong', 'unknown'].filter(k => a[k].length).map(k => chip(`${k}: ${counted(a[k].length, 'length')}`, { proved: 'good', wrong: 'bad' }[k])), chip(counted(r.size.attention_layers, 'layer')), chip(`width ${r.size.width}`), chip(`${grouped(r.size.parameters)} parameters`), chip(a.numbers)));
    put(wordBox, wrong ? [h('h2', {}, 'A word that it gets wrong'), h('div', { class: 'cells' }, wrong.word.map((t, k) => h('span', { class: k === wrong.position ? 'head' : '' }, String(t)))), h('p', {}, `At position ${wrong.position} the model answers `, h('b', { class: 'bad' }, answerText(wrong.answer)), ', and ', h('b', { class: 'good' }, answerText(wrong.expected)), ' is right.')]
      : at.margin !== null && at.word ? [h('h2', {}, 'The closest word'), h('p', {}, h('span', { class: 'mono' }, at.word.join('')), `: the least margin that was seen, ${shortly(at.margin)}; the answer is right.`)] : null,
    r.witness ? h('button', { type: 'button', class: 'button small', onclick: () => download('witness.json', `${JSON.stringify(r.witness, null, 1)}\n`) }, 'Save the witness') : null);
    if (at.flow) { pane.show({ program: at.flow, tokens: { program: [] } }); put(picture, h('h2', {}, 'Its attention on this word'), pane); } else put(picture, at.note ? h('p', { class: 'quiet small' }, `The attention is not drawn: ${at.note}.`) : null);
    put(plot, r.plot ? [h('h2', {}, 'Margins by length'), h('div', { class: 'wide-only chart' }, drawing(r.plot, 'margins by length')), h('div', { class: 'narrow-only chart' }, drawing(r.narrow_plot, 'margins by length'))] : null);
    const used = r.rows[0].map((_, k) => k).filter(k => r.rows.slice(1).some(line => line[k] !== '-'));
    put(rows, table(used.map(k => r.rows[0][k]), r.rows.slice(1).map(line => used.map(k => (line[k] === '-' ? '' : k === 1 ? h('b', { class: { proved: 'good', wrong: 'bad' }[line[k]] || '' }, line[k]) : line[k]))), 'verdicts by length'));
  }
  suggest(first);
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Audit'), h('p', { class: 'lead' }, 'Is a trained model right on every word? For each length: proved, wrong at a word, or not decided in 20 seconds.'), form, chooser, ideas,
    !SERVED ? without('It has the answers for these; ', h('code', {}, 'capax serve'), ' and ', h('code', {}, 'capax audit'), ' take any model.') : h('details', {}, h('summary', {}, 'Letters, answers, end marker'), h('div', { class: 'controls wide' }, option('alphabet', 'letters', 'which tokens words consist of'), option('answers', 'answers', 'False=no,True=yes'), option('end', 'end marker', ''), option('read', 'read', 'last, each or end'))),
    errors, headline, facts, wordBox, picture, plot, rows, related([['can', 'majority', 'Theorem: MAJORITY by one uniform head'], ['cannot', 'parity-sensitivity', 'Limit: why PARITY is hard for softmax']], 'capax audit model.safetensors --against "regex:.*11.*"')), 'Audit');
  go();
}
const answerText = a => (Array.isArray(a) ? `{${a.join(', ')}}` : a === null ? 'none' : a === true ? 'yes' : a === false ? 'no' : String(a));
async function experimentsPage() {
  const lead = h('p', { class: 'lead' }, 'Training against theory: does gradient descent find what the theorems allow? Predictions are stored before the runs.');
  if (!FACTS.report) {
    show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Experiments'), lead, h('p', {}, 'No report is shown by this playground. To make one:'),
      h('pre', { class: 'code-block', tabindex: 0 }, 'capax sweep experiments/reverse.toml\ncapax report -o report.html\ncapax serve --report report.html'), h('p', {}, 'Meanwhile, ', link('audit', 'audit a trained model'), '.')), 'Experiments');
    return;
  }
  const text = await (await fetch('lab/report.html')).text(), page = new DOMParser().parseFromString(text, 'text/html');
  const host = h('div', { class: 'report' }), shadow = host.attachShadow({ mode: 'open' });
  const contents = [...page.querySelectorAll('h2')].map((one, k) => { one.id ||= `part${k}`; return [one.id, one.firstChild?.textContent.trim() || one.textContent]; });
  for (const bad of page.querySelectorAll('script,iframe,object,embed,link,meta,base')) bad.remove();
  for (const one of page.querySelectorAll('a[href^="#"]')) one.addEventListener('click', () => {});
  const result = page.querySelector('h1 .result')?.textContent;
  page.querySelector('h1')?.remove();
  const theme = () => { const dark = document.documentElement.dataset.theme === 'dark'; return [...page.querySelectorAll('style')].map(s => s.textContent).join('\n').replaceAll('@media (prefers-color-scheme: dark)', dark ? '@media all' : '@media not all').replaceAll('@media (prefers-color-scheme:dark)', dark ? '@media all' : '@media not all').replaceAll(':root', ':host').replaceAll(/\bbody\b/g, '.body'); };
  const body = h('div', { class: 'body' }, [...page.body.children].map(one => { const at = document.importNode(one, true); return at.tagName === 'MAIN' ? h('div', { class: 'main' }, [...at.childNodes]) : at; }));
  const style = h('style', {}, theme());
  shadow.append(style, h('style', {}, ':host{display:block;background:none!important}.side{display:none!important}.body,.main{margin:0!important;padding:0!important;max-width:none!important;background:none!important;font:inherit}'), body);
  document.addEventListener('capax-theme', () => { style.textContent = theme(); });
  shadow.addEventListener('click', e => { const a = e.target.closest('a[href^="#"]'); if (a) { e.preventDefault(); shadow.getElementById(a.getAttribute('href').slice(1))?.scrollIntoView(); } });
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, result ? `Experiments: ${result}` : 'Experiments'), lead,
    contents.length > 1 ? h('nav', { class: 'contents', 'aria-label': 'experiments' }, contents.map(([id, name]) => h('button', { type: 'button', class: 'pick', onclick: () => shadow.getElementById(id)?.scrollIntoView({ behavior: CALM.matches ? 'auto' : 'smooth' }) }, name))) : null, host), 'Experiments');
}
async function classPage() {
  const data = await startData(), board = h('div', { class: 'board' }), join = h('div', { class: 'join' });
  let drawn = '';
  // Without a server for a class nobody can join: how to start one, and what needs none.
  const alone = () => { document.documentElement.classList.toggle('large', !!keep('large')); show(h('div', { class: 'page narrow' }, h('h1', {}, 'For a class'),
    h('p', {}, 'Everybody joins by a QR code, and a board counts the puzzles that are solved, without names. On the teacher’s machine, in the network of the room:'), h('pre', { class: 'code-block', tabindex: 0 }, 'capax serve --class'),
    h('p', {}, 'Or hand out one file that opens by a double click, offline:'), h('pre', { class: 'code-block', tabindex: 0 }, 'capax site --single-file -o playground.html'),
    h('p', {}, link('learn', 'The tour and the puzzles'), '; ', h('b', {}, 'A+'), ' in the header makes everything larger, for a projector.')), 'Class'); };
  if (!SERVED) return alone();
  document.documentElement.classList.add('large');
  async function poll() {
    if (!board.isConnected) return;
    try {
      const now = await (await fetch('class.json')).json();
      if (!now.links.length) return alone();
      const address = now.links.find(l => !l.includes('localhost')) || now.links[0];
      if (address !== drawn) { drawn = address; const code = await once('qr', { text: address }); put(join, h('div', { class: 'qr', role: 'img', 'aria-label': `QR code of ${address}`, html: code.svg }), h('p', { class: 'address mono' }, address.replace(/\/$/, ''))); }
      put(board, h('p', { class: 'headline' }, counted(now.people, 'player')), h('ul', { class: 'bars' }, data.puzzles.map(p => h('li', {}, h('span', {}, p.title), h('meter', { min: 0, max: Math.max(1, now.people), value: now.solved[p.name] || 0, 'aria-label': p.title }), h('b', {}, `${now.solved[p.name] || 0}`)))));
    } catch { /* the server is away for a moment */ }
    setTimeout(poll, 3000);
  }
  show(h('div', { class: 'page class-page' }, h('h1', {}, 'Join in'), h('div', { class: 'side even' }, join, h('section', { 'aria-label': 'solved puzzles' }, h('h2', {}, 'Solved so far'), board))), 'Class');
  poll();
}
function helpPage() {
  const row = (keys, what) => [h('kbd', {}, keys), what];
  show(h('div', { class: 'page narrow' }, h('h1', {}, 'Help'),
    h('h2', {}, 'What is RASP?'), h('p', {}, 'A language for what a transformer computes. ', h('code', {}, 'select'), ' says where attention looks, ', h('code', {}, 'aggregate'), ' fetches what it finds there, and everything else is computed at each position by itself.'),
    h('p', {}, 'In a picture of a selector a row is a position that looks (a query), and the marks in it are the positions that it looks at (keys).'),
    wordsTable(),
    h('h2', {}, 'Keys'), table(['', ''], [row('/ or Ctrl+K', 'search'), row('Alt+1 … Alt+3', 'Build, Learn, Explore'), row('Ctrl+Space', 'completions in the editor'), row('Ctrl+/', 'comment a line'), row('Escape, then Tab', 'leave the editor'), row('arrow keys', 'move over the cells of a picture')], 'keys'),
    h('h2', {}, 'In a terminal'), h('p', {}, 'Everything here is a command, too: ', h('code', {}, 'capax help'), ' lists them.'),
    h('h2', {}, 'Documentation'), h('p', {}, 'Tutorial, guides, explanations, reference: ', FACTS.docs ? h('a', { href: `${FACTS.docs}index.html` }, 'the docs') : [h('code', {}, 'make docs'), ' in a clone writes them into ', h('code', {}, 'site/index.html')], '.'),
    h('h2', {}, 'Privacy'), h('p', {}, SERVED ? 'Programs are worked on by the server at this address and not kept. Links hold the program after the #, which browsers do not send.' : 'Everything runs in your browser; nothing is sent.'), ' What you solved is kept in your browser alone.',
    h('h2', {}, 'About'), h('p', {}, `capax ${FACTS.version}, MIT licence. Letters: Inter and JetBrains Mono (`, h('a', { href: 'files/inter-licence.txt' }, 'licence'), ', ', h('a', { href: 'files/jetbrains-mono-licence.txt' }, 'licence'), ').')), 'Help');
}
async function homePage() {
  const pane = attentionPane({}), out = h('output', { class: 'answer mono' });
  const word = h('input', { class: 'mono big-input', value: 'hello', maxlength: 24, 'aria-label': 'a word', spellcheck: 'false', autocapitalize: 'off', oninput: later(draw, 120) });
  const text = 'flip = select(indices, length - 1 - indices, ==);\nreverse = aggregate(flip, tokens);';
  async function draw() {
    const reply = await ask('evaluate', { text, word: word.value, split: 'chars' }, 'home');
    if (!reply.run) return;
    put(out, h('b', {}, 'reverse'), ' = ', reply.run.values.map(v => h('i', {}, tokenText(String(v)))));
    pane.show({ program: reply.flow, tokens: { program: reply.run.input } });
  }
  show(h('div', { class: 'page home' }, h('div', { class: 'hero' }, h('div', {}, h('h1', {}, 'See what attention can and cannot compute'),
    h('p', { class: 'lead' }, 'Write a small program. Watch it as attention. Compile it into the weights of a real transformer, with a proof.'),
    h('div', { class: 'row' }, h('a', { class: 'button primary', href: '#/build' }, 'Build a program'), h('a', { class: 'button', href: '#/tour?step=1' }, 'Take the tour')),
    h('p', { class: 'small quiet' }, 'The picture is the attention pattern of the two-line program that reverses a word: each row is a letter that looks, the mark is where it looks.')),
  h('div', { class: 'demo' }, h('div', { class: 'row' }, word, out), pane)),
  h('div', { class: 'cards three' }, [['build', 'Build', 'An editor with the value of every line, the attention as you type, and certified weights to take away.'], ['learn', 'Learn', 'A tour of seven steps and 25 puzzles with par. No mathematics needed.'], ['explore', 'Explore', 'Theorems as running models, limits as calculators, languages and what recognises them.']].map(([to, title, about]) => h('a', { class: 'card go', href: `#/${to}` }, h('h2', {}, title), h('p', {}, about)))),
  h('h2', {}, 'Where to start'), h('ul', { class: 'starts' }, [['I am learning how attention works', 'tour?step=1', 'The tour, then the puzzles'], ['I do interpretability', 'build', 'Ground-truth weights: compile, and download for PyTorch or TransformerLens'], ['I teach', 'class', 'A QR code for the class, and a board of solved puzzles'], ['I read theory', 'explore', 'Theorems, limits, and the atlas of classes']].map(([who, to, what]) => h('li', {}, h('span', { class: 'quiet' }, who), link(to, what))))), 'capax');
  draw();
}
