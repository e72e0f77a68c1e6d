// Learn: a tour of seven steps, and the puzzles.
const TOUR = [
  { title: 'A sequence', text: 'A program works on a sequence of tokens. `tokens` are the letters themselves, and `indices` are their positions. Every position computes at the same time.', code: 'where = indices;', word: 'hello', task: 'Change the input below the program. The value beside the line follows.' },
  { title: 'Each position by itself', text: 'Arithmetic and comparisons work at every position separately. In a transformer this is the feed-forward part; it needs no attention.', code: 'vowel = tokens in ["a", "e", "i", "o", "u"];\nmark = indicator(vowel);', word: 'banana', task: 'Mark the letters of your own name that are vowels.' },
  { title: 'Where to look', text: '`select(keys, queries, ==)` is an attention pattern: a row for each position that looks, a mark at each position that it looks at. Here every position looks one to the left.', code: 'left = select(indices, indices - 1, ==);', word: 'hello', task: 'Point at a cell of the grid. Then make everybody look to the right instead.' },
  { title: 'What to fetch', text: '`aggregate(selector, values)` brings back what stands at the selected positions; where several are selected, numbers are averaged. That is one attention head.', code: 'left = select(indices, indices - 1, ==);\nprevious = aggregate(left, tokens, "-");', word: 'hello', task: 'Press Play and watch the values travel. Replace `tokens` by `indices`.' },
  { title: 'Counting', text: 'A head that selects all equal tokens can say how many there are: `selector_width` counts the marks in each row.', code: 'same = select(tokens, tokens, ==);\nhistogram = selector_width(same);', word: 'mississippi', task: 'Count only the equal letters before a position: add `and select(indices, indices, <)`.' },
  { title: 'Two layers', text: 'To reverse a word, a position must know the length first. One layer finds the length, the next uses it: layers are rounds of looking.', code: 'flip = select(indices, length - 1 - indices, ==);\nreverse = aggregate(flip, tokens);', word: 'hello', task: 'Step from layer 1 to layer 2 with ◀ and ▶. Open “Why 2 layers?”.' },
  { title: 'From program to weights', text: 'Every such program can be compiled: real weights of a real transformer whose attention is the pattern that you see, with a proof that no rounding error changes an answer.', code: 'same = select(tokens, tokens, ==);\nhistogram = selector_width(same);', word: 'banana', task: 'Open it in Build, and switch the picture from Program to Weights.' },
];
async function learnPage() {
  const data = await startData(), solved = keep('puzzles') || {};
  const done = data.puzzles.filter(p => solved[p.name]?.solved).length;
  const next = data.puzzles.find(p => !solved[p.name]?.solved);
  const tiers = [...new Set(data.puzzles.map(p => p.tier))];
  show(h('div', { class: 'page' }, h('h1', {}, 'Learn to think like a transformer'),
    h('p', { class: 'lead' }, 'Attention lets each position look at others; everything else happens at each position by itself. That is all you need to know to start.'),
    h('div', { class: 'cards two' },
      h('a', { class: 'card go', href: '#/tour?step=1' }, h('h2', {}, 'The tour'), h('p', {}, 'Seven steps, ten minutes: from a sequence to a compiled transformer.'), h('span', { class: 'button primary' }, keep('tour') > 1 ? `Go on at step ${keep('tour')}` : 'Start the tour')),
      h('a', { class: 'card go', href: `#/puzzle?name=${(next || data.puzzles[0]).name}` }, h('h2', {}, 'The puzzles'), h('p', {}, `${done} of ${data.puzzles.length} solved. Each has a par: the fewest layers and heads.`), h('progress', { max: data.puzzles.length, value: done, 'aria-label': 'puzzles solved' }),
        h('span', { class: 'button primary' }, next ? (done ? 'Next puzzle' : 'First puzzle') : 'Again'))),
    tiers.map(tier => h('section', {}, h('h2', {}, tier), h('ul', { class: 'puzzles' }, data.puzzles.filter(p => p.tier === tier).map(p =>
      h('li', {}, h('a', { class: `puzzle ${solved[p.name]?.solved ? 'solved' : ''}`, href: `#/puzzle?name=${p.name}` },
        h('span', { class: 'tick', 'aria-hidden': 'true' }, solved[p.name]?.solved ? '✓' : ''), h('span', {}, h('b', {}, p.title), h('span', { class: 'small quiet' }, parOf(p)), solved[p.name]?.solved ? h('span', { class: 'unseen' }, 'solved') : null)))))))), 'Learn');
  const goOn = document.querySelector('a.go');
  if (keep('tour') > 1) goOn.href = `#/tour?step=${keep('tour')}`;
}
const parOf = p => (p.layers ? `par: ${counted(p.layers, 'layer')}, ${counted(p.heads, 'head')}` : 'par: no attention');
// The words that the puzzles need, for who did not take the tour.
const WORDS = [['tokens', 'the letters of the input, and `indices` their positions: 0, 1, 2, …'], ['length', 'how long the input is, at every position'], ['tokens == "a"', 'true or false at each position; letters stand in quotes; also `<`, `and`, `or`, `not`, `in ["a", "b"]`'], ['indicator(c)', '1 where c is true, 0 where it is false'], ['indices % 2', 'arithmetic, at each position by itself: `+ - * / %`'], ['a if c else b', 'one value or another'],
  ['select(keys, queries, ==)', 'who looks where: a position sees those whose key equals its query'], ['aggregate(s, values)', 'what is found there; numbers are averaged; a third argument is for positions that see nothing'], ['selector_width(s)', 'how many positions each one sees']];
const wordsTable = () => table(['', ''], WORDS.map(([code, what]) => [h('code', {}, code), prose(sentence(what))]), 'words of the language');
async function tourPage(query) {
  const data = await startData(), k = Math.max(1, Math.min(TOUR.length, +query.step || 1)), step = TOUR[k - 1];
  keep('tour', k);
  const state = { text: step.code, word: step.word, split: 'chars', name: '' };
  const bench = workbench(state, data.names, { onanswer: r => put(cost, costs(r.layers)) });
  const cost = h('div', { class: 'costs' });
  const build = () => goTo('build', { text: state.text, word: state.word });
  show(panes(h('section', { class: 'pane code-pane', 'aria-label': 'Lesson' },
    h('nav', { class: 'dots', 'aria-label': 'steps of the tour' }, TOUR.map((one, n) => h('a', { href: `#/tour?step=${n + 1}`, 'aria-current': n + 1 === k ? 'step' : null, title: one.title }, `${n + 1}`))),
    h('h1', {}, step.title), h('p', {}, prose(step.text)), h('p', { class: 'task' }, h('b', {}, 'Try it. '), prose(step.task)),
    bench.editor, bench.input, bench.result, bench.which, bench.problems, cost,
    h('div', { class: 'row' }, k > 1 ? h('a', { class: 'button', href: `#/tour?step=${k - 1}` }, 'Back') : null, h('button', { type: 'button', class: 'button', onclick: build }, 'Open in Build'), h('span', { class: 'grow' }),
      k < TOUR.length ? h('a', { class: 'button primary', href: `#/tour?step=${k + 1}` }, `Next: ${TOUR[k].title}`) : h('a', { class: 'button primary', href: '#/learn' }, 'On to the puzzles'))),
  h('section', { class: 'pane picture-pane', 'aria-label': 'Picture' }, bench.stale, bench.pane), 'lesson'), `${step.title} · Tour`);
  await bench.evaluate();
}
async function puzzlePage(query) {
  const data = await startData(), kept = keep('puzzles') || {};
  const puzzle = data.puzzles.find(p => p.name === query.name) || data.puzzles.find(p => !kept[p.name]?.solved) || data.puzzles[0];
  const at = data.puzzles.indexOf(puzzle), next = data.puzzles[(at + 1) % data.puzzles.length];
  const state = { text: (query.text ?? kept[puzzle.name]?.text ?? puzzle.start).trim(), word: query.word || puzzle.word, split: 'chars', name: '' };
  const theorem = TOGETHER.find(one => one[2] === puzzle.name);
  const verdict = h('div', { class: 'verdict', role: 'status' }), answer = h('div', {}), cost = h('div', { class: 'small quiet' });
  const mark = later(check, 250);
  const bench = workbench(state, data.names, { onedit: saved, onanswer: reply => {
    const heads = Math.max(0, ...(reply.layers?.heads_merged || []));
    cost.textContent = !reply.layers || reply.layers.depth ? `${parOf(puzzle)} · yours: a loop` : `${parOf(puzzle)} · yours: ${reply.layers.layers ? `${counted(reply.layers.layers, 'layer')}, ${counted(heads, 'head')}` : 'no attention'}`;
    mark();
  } });
  function saved() { kept[puzzle.name] = { ...kept[puzzle.name], text: state.text }; keep('puzzles', kept); remember('puzzle', { name: puzzle.name, text: state.text }); }
  async function check() {
    const text = /[;}]\s*$/.test(state.text.replace(/#[^\n]*/g, '').trimEnd()) ? state.text : `${state.text}\n;`;
    let found;
    try { found = await ask('mark', { puzzle: puzzle.name, text, name: state.name || '', split: 'chars' }, 'mark'); } catch (refused) { put(verdict, problem(refused.error)); return; }
    const wrong = found.wrong, truths = wrong?.given?.every((v, n) => typeof v === 'boolean' && Number(v) === wrong.right[n]);
    if (found.solved) {
      const first = !kept[puzzle.name]?.solved;
      kept[puzzle.name] = { text: state.text, solved: true }; keep('puzzles', kept); progress();
      put(verdict, h('p', { class: 'big good' }, '✓ Solved'), h('p', {}, `Right on all ${found.words} words, within par.`));
      put(answer, h('div', { class: 'row' }, h('a', { class: 'button primary', href: `#/puzzle?name=${next.name}` }, `Next: ${next.title}`), h('button', { type: 'button', class: 'button', onclick: () => goTo('build', { text: state.text, word: state.word }) }, 'Open in Build')),
        h('details', {}, h('summary', {}, 'Our solution, to compare'), h('pre', { class: 'code-block', tabindex: 0 }, puzzle.solution.trim())), theorem ? h('p', { class: 'small' }, link(`can?name=${theorem[0]}`, 'The theorem about it')) : null);
      if (first) say('Solved');
    } else {
      put(answer);
      if (found.right) put(verdict, h('p', {}, chip('right, over par', 'bad')), h('p', {}, `Right on all ${found.words} words, but with ${counted(found.layers, 'layer')} and ${counted(found.heads, 'head')} in a layer.`));
      else put(verdict, h('p', {}, chip('not yet', ''), ` on the input “${wrong.word}”:`), table(['', ...[...wrong.word]], [
        [h('b', {}, 'expected'), ...wrong.right.map(v => h('span', { class: 'mono good' }, tokenText(shortly(v))))],
        [h('b', {}, 'yours'), ...(wrong.given ? wrong.given.map((v, n) => h('span', { class: `mono ${String(v) === String(wrong.right[n]) ? '' : 'bad'}` }, tokenText(shortly(v)))) : [sentence(wrong.error)])]], 'expected and yours'),
      truths ? h('p', { class: 'small' }, 'Right, but as true and false: ', h('code', {}, 'indicator(…)'), ' makes 1 and 0 of them.') : null,
      h('button', { type: 'button', class: 'link small', onclick: () => { bench.set({ text: state.text, word: wrong.word }); } }, 'Try this input'));
    }
  }
  const bar = h('div', { class: 'dots puzzles-bar' });
  function progress() {
    put(bar, data.puzzles.map((p, n) => h('a', { href: `#/puzzle?name=${p.name}`, class: kept[p.name]?.solved ? 'solved' : '', 'aria-current': p === puzzle ? 'step' : null, title: `${p.title}${kept[p.name]?.solved ? ', solved' : ''}` }, `${n + 1}`)));
  }
  progress();
  show(panes(h('section', { class: 'pane code-pane', 'aria-label': 'Puzzle' },
    h('nav', { 'aria-label': 'puzzles' }, bar), h('p', { class: 'small quiet tier' }, link('learn', puzzle.tier), ` · puzzle ${at + 1} of ${data.puzzles.length}`),
    h('h1', {}, puzzle.title), h('p', {}, prose(puzzle.task)), cost,
    bench.editor, bench.input, bench.result, bench.which, bench.problems,
    h('details', {}, h('summary', {}, 'A hint'), h('p', {}, prose(puzzle.hint))), h('details', {}, h('summary', {}, 'The words of the language'), wordsTable())),
  h('section', { class: 'pane picture-pane', 'aria-label': 'Result' }, h('div', { class: 'marks' }, verdict, answer), bench.stale, bench.pane), 'lesson'), `${puzzle.title} · Puzzle`);
  await bench.evaluate();
}
