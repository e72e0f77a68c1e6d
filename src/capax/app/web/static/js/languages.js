// Languages: a language of the reader's own, or a named one: verdicts, models, automaton, and the atlas of classes.
const FORMS = { regex: 'regular expression', ltl: 'temporal logic', language: 'a name' };
const TRY = [['regex', '(ab)*'], ['regex', '(a|b)*abb'], ['regex', '(aa)*'], ['ltl', 'P (b & Y a)'], ['language', 'parity'], ['language', 'dyck-1'], ['language', 'majority'], ['language', 'word-problem-s5']];
const ATLAS_NAMES = { parity: 'PARITY', majority: 'MAJORITY', 'dyck-1': 'DYCK-1', 'dyck-2': 'DYCK-2', '(ab)*': '(ab)*', '(aa)*': '(aa)*', first: 'FIRST', last: 'LAST', palindrome: 'PALINDROME', copy: 'COPY', 'word-problem-s5': 'S5' };
const MOST_FIELDS = ['attention', 'mask', 'positions', 'precision', 'steps'];
const LONG_VERDICT = { yes: 'recognise it', no: 'cannot recognise it', unknown: 'it is not known whether they do' };
async function languagesPage(query) {
  const data = await exploreData();
  let form = FORMS[query.form] ? query.form : 'regex';
  const text = h('input', { class: 'mono big-input', value: query.lang ?? '(ab)*', autocapitalize: 'off', spellcheck: 'false', 'aria-label': 'language' });
  const word = h('input', { class: 'mono', value: query.word ?? (query.lang ? '' : 'abab'), autocapitalize: 'off', spellcheck: 'false' });
  const kind = segments('given by', FORMS, form, k => { form = k; });
  const read = choice(Object.entries(data.reads).map(([k, v]) => [k, `read ${v}`]), data.reads[query.read] ? query.read : 'last', go);
  const head = h('div', {}), errors = h('div', {}), verdicts = h('div', {}), models = h('div', {}), drawn = h('div', {}), atlas = h('div', {});
  const button = h('button', { class: 'button primary', type: 'submit' }, 'Ask');
  const bar = h('form', { class: 'ask', onsubmit: e => { e.preventDefault(); go(); } }, h('div', { class: 'row main' }, kind, text, button), field('a word to try', word), field('the answer is', read));
  function take(f, t) { form = f; kind.set(f); text.value = t; word.value = ''; go(); }
  async function go() {
    const request = { form, text: text.value, read: read.value, ...(word.value ? { word: word.value } : {}) };
    remember('languages', { form, lang: text.value, word: word.value, read: read.value === 'last' ? '' : read.value });
    button.setAttribute('aria-busy', 'true');
    if (!head.firstChild) put(head, h('p', { class: 'quiet', role: 'status' }, 'Working it out …'));
    for (const part of [head, verdicts, models, drawn]) part.classList.add('old');
    try {
      const reply = await ask('recognise', request, 'recognise');
      put(errors); answered(reply);
    } catch (refused) { put(errors, problem(refused.error)); for (const part of [head, verdicts, models, drawn]) put(part); }
    for (const part of [head, verdicts, models, drawn]) part.classList.remove('old');
    button.removeAttribute('aria-busy');
    atlasName(ATLAS_NAMES[text.value.trim()] || null);
  }
  function answered(reply) {
    const r = reply.recognise, ways = { yes: r.verdicts.filter(v => v.answer === 'yes'), no: r.verdicts.filter(v => v.answer === 'no'), unknown: r.verdicts.filter(v => !['yes', 'no'].includes(v.answer)) };
    const w = r.word;
    put(head, h('h2', { class: 'mono title' }, r.given), r.what ? h('p', { class: 'quiet' }, sentence(r.what)) : null,
      chips(w ? chip([h('span', { class: 'mono' }, w.word.join('') || 'the empty word'), w.accepts ? ' is in it' : ' is not in it'], w.accepts ? 'good' : '') : null,
        chip(`${ways.yes.length} kinds of transformers do`, 'good'), ways.no.length ? chip(`${ways.no.length} cannot`, 'bad') : null,
        r.classes?.states ? chip(counted(r.classes.states, 'state')) : null, r.classes?.star_free ? chip('star-free') : null, r.classes?.in_ac0 && !r.classes.star_free ? chip('in AC0') : null, r.classes && r.classes.c_rasp ? chip('C-RASP') : null));
    put(verdicts, ['yes', 'no', 'unknown'].filter(k => ways[k].length).map(k => h('section', {}, h('h3', { class: { yes: 'good', no: 'bad' }[k] || '' }, { yes: 'These recognise it', no: 'These cannot', unknown: 'Not known' }[k]),
      h('ul', { class: 'verdicts' }, ways[k].map(v => h('li', {}, h('b', {}, sentence(v.models)), h('div', {}, sentence(v.because), v.source ? h('span', { class: 'quiet small' }, ` — ${v.source}`) : null)))))));
    put(models, r.routes.length ? [h('h2', {}, 'Models of it, built and tried'), table(['theorem', 'what', 'size', 'evidence'], r.routes.map(o => [link(`can?name=${o.theorem}`, o.theorem), o.what, o.size ? `${counted(o.size.attention_layers, 'layer')}, ${grouped(o.size.parameters)} parameters` : prose(o.refused), o.proof ? o.proof.label : '']), 'models'),
      reply.model ? h('p', {}, h('button', { type: 'button', class: 'button', onclick: () => download('model.safetensors', reply.model, 'base64') }, 'Download the shallowest'), ' ', h('span', { class: 'quiet small' }, reply.saved ? `${reply.saved.theorem}: ${reply.saved.what}` : '')) : null] : null);
    put(drawn, reply.automaton ? [h('h2', {}, 'Its automaton'), drawing(reply.automaton, `the automaton of ${r.given}`)] : null);
  }
  // The atlas: a named language under assumptions of the reader's own.
  const fields = Object.fromEntries(Object.keys(data.fields).filter(f => query[f]).map(f => [f, query[f]]));
  let named = query.language || null;
  const pickLanguage = choice(data.languages.map(l => [l.id, `${l.id}: ${l.what}`]), named || 'PARITY', v => { named = v; askAtlas(); });
  const fieldBox = name => field(name, choice([['', data.fields[name].default === 'any' ? 'any' : `${data.fields[name].default} (as usual)`], ...Object.entries(data.fields[name].values).map(([v]) => [v, v])], fields[name] || '', v => { if (v) fields[name] = v; else delete fields[name]; askAtlas(); }));
  const atlasAnswer = h('div', { 'aria-live': 'polite' }), classAnswer = h('div', { 'aria-live': 'polite' }), lattice = h('div', { class: 'lattice' });
  function atlasName(name) { if (name && name !== named) { named = name; pickLanguage.value = name; askAtlas(); } else if (!atlasAnswer.firstChild) { named ||= 'PARITY'; askAtlas(); } }
  async function askAtlas() {
    try { put(atlasAnswer, atlasReply(await ask('atlas', { about: 'language', name: named, fields }, 'atlas'), data, fields)); } catch (refused) { put(atlasAnswer, problem(refused.error)); }
  }
  async function pickClass(id) {
    try { put(classAnswer, classReply(await ask('atlas-class', { name: id }, 'atlas-class'))); mark(id); } catch (refused) { put(classAnswer, problem(refused.error)); }
  }
  function mark(id) { for (const g of lattice.querySelectorAll('[data-class]')) g.classList.toggle('chosen', g.dataset.class === id); }
  async function drawLattice() {
    const reply = await once('lattice', {});
    put(lattice, drawing(reply.picture, 'classes of languages: a line goes from a class up to one that contains it'));
    lattice.querySelector('svg').setAttribute('role', 'group');
    const texts = [...lattice.querySelectorAll('text.name')], ids = new Set(data.classes.map(c => c.id));
    for (const t of texts) {
      const id = t.textContent.split(' = ')[0];
      if (!ids.has(id)) continue;
      t.dataset.class = id; t.setAttribute('tabindex', '0'); t.setAttribute('role', 'button'); t.setAttribute('aria-label', `class ${t.textContent}`);
      t.addEventListener('click', () => pickClass(id));
      t.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); pickClass(id); } });
    }
  }
  put(atlas, h('h2', {}, 'The atlas: under assumptions of your own'), h('p', { class: 'quiet' }, 'What is proved of a named language and a kind of transformers, with the sources.'),
    h('div', { class: 'controls wide' }, field('language', pickLanguage), MOST_FIELDS.map(fieldBox)),
    h('details', {}, h('summary', {}, 'Further assumptions'), h('div', { class: 'controls wide' }, Object.keys(data.fields).filter(f => !MOST_FIELDS.includes(f)).map(fieldBox))), atlasAnswer,
    h('h2', {}, 'The classes'), h('p', { class: 'quiet' }, 'Each box is a class of languages; a line goes up to a class that contains it. Choose one to see which transformers recognise all of it, and nothing else.'), classAnswer, lattice);
  show(h('div', { class: 'page' }, crumbs(), h('h1', {}, 'Languages'), h('p', { class: 'lead' }, SERVED ? 'Type a language. Which transformers recognise it?' : 'Choose a language. Which transformers recognise it?'), SERVED ? bar : null,
    h('div', { class: 'row try' }, h('span', { class: 'quiet small' }, 'Try'), TRY.filter(([, t]) => SERVED || t !== 'word-problem-s5').map(([f, t]) => h('button', { type: 'button', class: 'pick mono', onclick: () => take(f, t) }, t))),
    SERVED ? null : without('It has the answers for these languages; ', h('code', {}, 'capax serve'), ' and ', h('code', {}, 'capax recognise'), ' take any.'), errors, head, h('div', { class: 'columns' }, verdicts, h('div', {}, drawn)), models, atlas, related([['can', 'star-free', 'Theorem: star-free languages by a cascade of resets'], ['cannot', 'parity-sensitivity', 'Limit: why PARITY is hard for softmax']], 'capax recognise "(ab)*"', link('puzzle?name=balanced', 'Puzzle: balanced brackets'))), 'Languages');
  go(); drawLattice();
  if (query.class) pickClass(query.class);
}
function atlasReply(r, data, fields) {
  const kind = { yes: 'good', no: 'bad' }[r.answer] || 'quiet';
  const who = Object.entries(fields).map(([k, v]) => ({ attention: `${v} attention`, mask: `a ${v} mask`, positions: `${v} positions`, precision: `${v} precision`, steps: `${v} steps of thought` }[k] || `${k} ${v}`)).join(', ');
  const name = h('b', {}, r.language);
  const text = { yes: ['Yes: transformers', who ? ` with ${who}` : '', ' recognise ', name], no: ['No: transformers', who ? ` with ${who}` : '', ' do not recognise ', name] }[r.answer] || ['Not decided: no record says whether transformers', who ? ` with ${who}` : '', ' recognise ', name, '. That does not mean that it is impossible'];
  // Theorems that run are offered where they agree with the answer.
  const runs = r.answer === 'yes' ? [...new Set(r.runs.map(x => x.command.match(/^capax theorem ([\w-]+)/)?.[1]).filter(Boolean))] : [];
  const limits = r.answer === 'no' ? [...new Set(r.runs.map(x => x.command.match(/^capax limit ([\w-]+)/)?.[1]).filter(Boolean))] : [];
  return h('div', { class: 'atlas-answer' }, h('p', { class: `headline ${kind}` }, text, r.assuming.length ? `, if ${r.assuming.join(', ')}` : '', '.'),
    r.proofs.slice(0, 2).map((p, k) => h('details', { open: k === 0 && p.lines.filter(l => !l.by_definition).length <= 3 }, h('summary', {}, k ? 'Another way' : 'Because'),
      h('ul', {}, p.lines.filter(l => !l.by_definition).map(l => h('li', {}, humanClaim(l.says), ' ', h('span', { class: 'quiet small' }, `(${[l.seen, ...l.sources.map(s => shortSource(r.sources[s] || s))].join('; ')})`)))),
      p.lines.some(l => l.by_definition) ? h('details', { class: 'small' }, h('summary', {}, 'and, by definition'), h('ul', {}, p.lines.filter(l => l.by_definition).map(l => h('li', {}, sentence(l.says))))) : null)),
    runs.length || limits.length ? h('p', {}, 'See it run: ', runs.map(n => [link(`can?name=${n}`, `theorem ${n}`), ' ']), limits.map(n => [link(`cannot?name=${n}`, `limit ${n}`), ' '])) : null);
}
function shortSource(text) {
  const first = String(text).split('. ')[0];
  return first.length > 180 ? `${first.slice(0, first.lastIndexOf(' ', 180))} …` : first;
}
// A record says `leftmost-hard; mask mixed; ...: these do not recognise X`: as a sentence.
function humanClaim(says) {
  const m = /^(.*): (these .*)$/.exec(says);
  if (!m) return sentence(says);
  const parts = m[1].split('; ').map(p => p.replace(/^(mask|positions) none$/, 'no $1').replace(/^mask (.*)/, '$1 masks').replace(/^positions (.*)/, '$1 positions').replace(/^precision (.*)/, '$1 precision').replace(/^uniformity per-length/, 'other weights for each length').replace(/^width (.*)/, '$1 width').replace(/^depth (.*)/, '$1 depth').replace(/^read (.*)/, 'the answer read $1'));
  return `Transformers with ${parts[0]} attention${parts.length > 1 ? ` (${parts.slice(1).join(', ')})` : ''} ${m[2].replace('these ', '')}.`;
}
function classReply(reply) {
  const rows = Object.entries(reply.rows).map(([kind, r]) => [kind, r.contains.answer, r.within.answer]).filter(r => r[1] !== 'unknown' || r[2] !== 'unknown');
  const cell = a => h('b', { class: { yes: 'good', no: 'bad' }[a] || 'quiet' }, a);
  return h('section', { class: 'class-answer' }, h('h3', {}, reply.class), h('p', { class: 'quiet' }, sentence(reply.what)),
    rows.length ? table(['transformers', 'all of it', 'nothing else', ''], rows.map(([k, a, b]) => [k, cell(a), cell(b), a === 'yes' && b === 'yes' ? 'exactly this class' : '']), `transformers and ${reply.class}`) : 'Nothing is recorded.');
}
