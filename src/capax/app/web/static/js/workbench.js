// An editor with its input and its attention pane, as Build and the puzzles have it.
const SPLITS = { chars: 'letters', words: 'words', ints: 'whole numbers', floats: 'numbers' };
const PATIENCE = 800; // milliseconds after the last key until a mistake is shown
// `state` has text, word, split and name; `onanswer(reply)` follows each program that runs.
function workbench(state, names, { onanswer, onedit, modes, label = 'program' }) {
  let good = null, asked = 0, chosen = true; // what is shown stays until it is gone; then the last name is followed
  const problems = h('div', { class: 'problems' });
  const stale = h('div', { class: 'stale small', hidden: true }, 'the last version that ran is shown');
  const which = h('div', { class: 'which', role: 'group', 'aria-label': 'show the value of' });
  const result = h('output', { class: 'answer mono' });
  const pane = attentionPane({ modes, onhead: names => editor.light(names) });
  const run = later(evaluate, 180), complain = later(show, PATIENCE);
  const editor = editorPane({ text: state.text, names, label, onchange: text => { state.text = text; onedit?.(); run(); }, onpick: pick, online: name => pane.mark(name) });
  const word = h('input', { value: state.word, maxlength: 2000, class: 'mono', autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false', oninput: () => { state.word = word.value; onedit?.(); run(); } });
  const split = choice(SPLITS, state.split || 'chars', v => { state.split = v; onedit?.(); run(); }, { 'aria-label': 'tokenize by' });
  const input = h('div', { class: 'input-row' }, field('input', word), split);
  function pick(name) { state.name = name; chosen = true; evaluate(); }
  async function evaluate() {
    const mine = ++asked;
    let reply;
    const early = setTimeout(() => { if (mine === asked && window.capaxBackend && !document.body.dataset.ready) put(problems, h('p', { class: 'quiet small', role: 'status' }, 'Python is starting in this page; it takes some seconds, once.')); }, 150);
    try {
      reply = await ask('evaluate', { text: state.text, word: state.word, split: state.split || 'chars', name: chosen ? state.name || '' : '' }, 'evaluate');
    } catch (refused) { reply = { check: { ok: true, errors: [], warnings: [] }, programs: [], error: refused.error }; }
    clearTimeout(early);
    if (mine !== asked) return;
    if (reply.run) {
      good = reply;
      if (state.name && !reply.programs.includes(state.name)) chosen = false;
      state.name = reply.run.program;
      complain.reply = null; put(problems, reply.check.warnings.slice(0, 2).map(w => problem(w, 'warn')));
      editor.marks(reply.check.warnings.filter(w => w.line).map(w => ({ line: w.line, column: w.column, kind: 'warning' })));
      editor.values(reply.values);
      stale.hidden = true;
      offer(reply);
      put(result, reply.run.kind === 'selector' ? [h('b', {}, reply.run.program), ' is a selector'] : [h('b', {}, reply.run.program), ' = ', reply.run.values.map(v => h('i', {}, tokenText(shortly(v))))]);
      parts.program = reply.flow; parts.tokens.program = reply.run.input; parts.tokens.weights ||= reply.run.input;
      pane.show(parts);
      onanswer?.(reply);
    } else complain(reply);
  }
  function show(reply) {
    if (!reply) return;
    const errors = reply.check.ok ? (reply.error ? [reply.error] : []) : reply.check.errors;
    if (!errors.length) put(problems, h('p', { class: 'quiet small' }, 'The program is empty. Write a line such as ', h('code', {}, 'answer = indices + 1;'), ' or pick an example.'));
    else put(problems, errors.slice(0, 4).map(e => problem(e)));
    editor.marks(errors.filter(e => e.line).map(e => ({ line: e.line, column: e.column, kind: 'error' })));
    stale.hidden = !good;
  }
  const settle = complain;
  function offer(reply) {
    which.hidden = reply.programs.length < 2;
    put(which, h('span', { class: 'quiet small' }, 'Show'), reply.programs.slice(-12).map(name =>
      h('button', { type: 'button', class: 'pick mono', 'aria-pressed': String(name === reply.run.program), onclick: () => pick(name) }, name)));
  }
  const parts = { program: null, weights: null, tokens: {} };
  return { editor, input, word, which, result, problems, stale, pane, parts, evaluate, settle, get good() { return good; },
    set(given) { Object.assign(state, { name: '' }, given); chosen = true; editor.text = state.text; word.value = state.word; split.value = state.split || 'chars'; good = null; evaluate(); } };
}
