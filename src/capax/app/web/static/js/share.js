// Share: the link, a QR code, a frame for other pages. And search over everything that has a page.
function dialog(title, ...content) {
  const back = document.activeElement;
  const at = h('dialog', { class: 'dialog', 'aria-label': title, onclose: () => { at.remove(); back?.focus?.(); }, onclick: e => { if (e.target === at) at.close(); } },
    h('div', { class: 'dialog-head' }, h('h2', {}, title), h('span', { class: 'grow' }), h('button', { type: 'button', class: 'icon', 'aria-label': 'close', onclick: () => at.close() }, '✕')), content);
  document.getElementById('layer').append(at);
  at.showModal();
  return at;
}
async function reachable() {
  if (location.protocol === 'file:') return { address: location.href, note: 'This file is on your machine alone: hand the file on, or put it on a web space.' };
  if (!SERVED || !/^(localhost|127\.|\[::1\])/.test(location.host)) return { address: location.href, note: '' };
  try {
    const links = (await (await fetch('class.json')).json()).links, own = links.find(l => !l.includes('localhost'));
    if (own) return { address: own + location.hash, note: '' };
  } catch { /* as it is */ }
  return { address: location.href, note: ['Only this machine can open it. ', h('code', {}, 'capax serve --class'), ' prints an address for everybody in the room.'] };
}
async function shareDialog() {
  const { address, note } = await reachable();
  const box = h('input', { value: address, readonly: true, class: 'mono', 'aria-label': 'link', onfocus: () => box.select() });
  const copied = h('span', { class: 'small good', role: 'status' });
  const copy = (text, what) => async () => { try { await navigator.clipboard.writeText(text); copied.textContent = `${what} copied`; } catch { copied.textContent = 'Select the text and copy it.'; } };
  const frame = `<iframe src="${address.replace('#/', '#/embed/')}" width="100%" height="560" title="capax" loading="lazy"></iframe>`;
  const qr = h('div', { class: 'qr' }, h('p', { class: 'quiet small' }, '…'));
  dialog('Share', h('p', { class: 'quiet small' }, 'The link holds everything that you see: program, input and sizes.'), h('div', { class: 'row' }, box, h('button', { type: 'button', class: 'button primary', onclick: copy(address, 'Link') }, 'Copy link')), copied, note ? h('p', { class: 'small' }, note) : null, qr,
    h('details', {}, h('summary', {}, 'Embed in a page'), SERVED ? h('p', { class: 'small' }, 'This server may not be framed by other pages. Write the playground as files with ', h('code', {}, 'capax site -o DIR'), ', put them on your web space, and use this with its address:') : null, h('pre', { class: 'code-block', tabindex: 0 }, frame), h('button', { type: 'button', class: 'button small', onclick: copy(frame, 'Frame') }, 'Copy')),
    h('p', { class: 'small' }, 'As a notebook: ', link('build', 'Build'), ' has “TransformerLens notebook” below the weights.'));
  try { const code = await ask('qr', { text: address }, 'qr'); put(qr, h('div', { role: 'img', 'aria-label': 'QR code of the link', html: code.svg })); } catch (refused) { put(qr, h('p', { class: 'quiet small' }, sentence(refused.error.what), '.')); }
}
let searchable = null;
async function searchIndex() {
  if (searchable) return searchable;
  const start = await startData();
  const list = [...ROOMS.map(([to, title, text]) => [to, title, text, 'page']), ['build', 'Build', 'editor, compile, weights', 'page'], ['learn', 'Learn', 'tour and puzzles', 'page'], ['class', 'Class', 'QR code and board', 'page'], ['help', 'Help', 'keys, RASP', 'page'],
    ...TOUR.map((t, k) => [`tour?step=${k + 1}`, t.title, t.text, 'tour']), ...start.puzzles.map(p => [`puzzle?name=${p.name}`, p.title, p.task, 'puzzle']), ...start.programs.map(p => [`build?example=${p.name}`, p.title, p.text, 'example'])];
  try {
    const more = await exploreData();
    list.push(...more.theorems.map(t => [`can?name=${t.name}`, t.title, `${t.name} ${t.attention} ${t.citation}`, 'theorem']), ...more.limits.map(t => [`cannot?name=${t.name}`, t.title, `${t.name} ${t.citation}`, 'limit']),
      ...more.languages.map(l => [`languages?language=${encodeURIComponent(l.id)}`, l.id, l.what, 'language']), ...more.classes.map(l => [`languages?class=${encodeURIComponent(l.id)}`, l.id, l.what, 'class of languages']), ...more.machines.map(m => [`machines?machine=${m.name}`, m.name, 'Turing machine', 'machine']));
  } catch { /* the rest is enough */ }
  searchable = list;
  return list;
}
async function searchDialog() {
  if (document.querySelector('dialog[open]')) return;
  let at = 0, found = [];
  let all = [];
  const list = h('ul', { class: 'found', role: 'listbox', id: 'found', 'aria-label': 'results' });
  const box = h('input', { type: 'search', class: 'big-input', placeholder: 'Theorems, limits, puzzles, languages …', role: 'combobox', 'aria-label': 'search', 'aria-controls': 'found', 'aria-expanded': 'true', autocomplete: 'off', oninput: () => { at = 0; fill(); }, onkeydown: e => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') { e.preventDefault(); at = (at + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(1, found.length); draw(); }
    if (e.key === 'Enter' && found[at]) { e.preventDefault(); go(found[at]); }
  } });
  const go = one => { window_.close(); location.hash = `#/${one[0]}`; };
  const window_ = dialog('Search', box, list);
  box.focus();
  searchIndex().then(index => { all = index; fill(); });
  function fill() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const score = one => words.reduce((sum, w) => sum + (one[1].toLowerCase().startsWith(w) ? 4 : one[1].toLowerCase().includes(w) ? 3 : one[2].toLowerCase().includes(w) || one[3].includes(w) ? 1 : -99), 0);
    found = all.map(one => [score(one), one]).filter(([s]) => s >= 0).sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, one]) => one);
    draw();
  }
  function draw() {
    put(list, found.map((one, k) => h('li', { role: 'option', id: `found${k}`, 'aria-selected': String(k === at), onclick: () => go(one) }, h('b', {}, one[1]), h('span', { class: 'quiet small' }, one[3]))));
    box.setAttribute('aria-activedescendant', found.length ? `found${at}` : '');
  }
  fill();
}
