// The frame around all pages: the header, addresses, colours.
const PAGES = { '': homePage, build: buildPage, learn: learnPage, tour: tourPage, puzzle: puzzlePage, puzzles: learnPage, explore: explorePage, languages: languagesPage, can: canPage, cannot: cannotPage, machines: machinesPage, audit: auditPage, experiments: experimentsPage, class: classPage, help: helpPage };
const SECTION = { build: 'build', learn: 'learn', tour: 'learn', puzzle: 'learn', puzzles: 'learn', class: 'learn', explore: 'explore', languages: 'explore', can: 'explore', cannot: 'explore', machines: 'explore', audit: 'explore', experiments: 'explore' };
let visit = 0, quietly = '';
function show(content, title) {
  put(document.getElementById('main'), content);
  document.title = title === 'capax' ? 'capax' : `${title} · capax`;
}
// Programs stand in links in short: deflated, as base64 with letters that links can hold.
async function squeezed(text) {
  const data = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
  return btoa(String.fromCharCode(...data)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
async function expanded(code) {
  const data = Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
  const text = await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
  return text.length > 20000 ? null : text;
}
async function addressOf(page, state) {
  const parts = new URLSearchParams(Object.entries(state).filter(([k, v]) => v && k !== 'text'));
  if (state.text) parts.set('code', await squeezed(state.text));
  return `#/${page}${parts.size ? `?${parts}` : ''}`;
}
async function remember(page, state) {
  const mine = visit, address = await addressOf(page, state);
  if (mine === visit && location.hash !== address) { quietly = address; history.replaceState(null, '', address); }
}
async function goTo(page, state) { location.hash = await addressOf(page, state); }
async function route() {
  let [page, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  if (page === 'main') return;
  const embedded = page === 'embed' || page.startsWith('embed/');
  page = page.replace(/^embed\/?/, '');
  document.documentElement.classList.toggle('embedded', embedded);
  if (page !== 'class' && !keep('large')) document.documentElement.classList.remove('large');
  const mine = ++visit, state = Object.fromEntries(new URLSearchParams(query));
  if (state.code) { try { state.text = await expanded(state.code); } catch { delete state.text; } delete state.code; }
  const make = PAGES[page];
  for (const a of document.querySelectorAll('#top nav a')) {
    if (a.dataset.section === SECTION[page]) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current');
  }
  document.body.dataset.page = page || 'home';
  delete document.body.dataset.shown;
  scrollTo(0, 0);
  try {
    if (!make) show(h('div', { class: 'page narrow' }, h('h1', {}, 'Page not found'), h('p', {}, link('', 'Go to the start'))), 'Page not found');
    else await make(state);
  } catch (error) {
    if (mine !== visit) return;
    show(h('div', { class: 'page narrow' }, h('h1', {}, 'This page could not be shown'), problem(error.error || { what: error.message })), 'Problem');
    if (!error.error) console.error(error);
  }
  if (mine === visit) { document.body.dataset.shown = page || 'home'; if (visit > 1) document.getElementById('main').focus({ preventScroll: true }); }
}
function theme(next) {
  const names = ['auto', 'light', 'dark'];
  let now = keep('theme') || 'auto';
  if (next) { now = names[(names.indexOf(now) + 1) % 3]; keep('theme', now); }
  const dark = now === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : now === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const button = document.getElementById('theme');
  if (button) { button.textContent = { auto: '◐', light: '☀', dark: '☾' }[now]; button.setAttribute('aria-label', `Colours: ${{ auto: 'as the system', light: 'light', dark: 'dark' }[now]}. Press to change`); button.title = `colours: ${now}`; }
  document.dispatchEvent(new Event('capax-theme'));
}
function startApp() {
  const nav = Object.entries({ build: 'Build', learn: 'Learn', explore: 'Explore' }).map(([to, name]) => h('a', { href: `#/${to}`, 'data-section': to }, name));
  const large = h('button', { type: 'button', class: 'icon large-switch', 'aria-pressed': String(!!keep('large')), 'aria-label': 'A+: large type', title: 'large type', onclick: () => { const on = document.documentElement.classList.toggle('large'); keep('large', on); large.setAttribute('aria-pressed', String(on)); } }, 'A+');
  put(document.getElementById('top'), h('a', { class: 'mark', href: '#/' }, h('svg:svg', { viewBox: '0 0 4 4', width: 22, height: 22, 'aria-hidden': 'true' }, h('svg:rect', { width: 4, height: 4, rx: 0.7, fill: '#0072b2' }), h('svg:path', { d: 'M.6.6h.8v.8H.6zM1.6 1.6h.8v.8h-.8zM2.6 2.6h.8v.8h-.8zM2.6.6h.8v.8h-.8z', fill: '#fff' })), 'capax'),
    h('nav', { 'aria-label': 'Pages' }, nav), h('span', { class: 'grow' }),
    h('button', { type: 'button', class: 'search-button', onclick: searchDialog, 'aria-label': 'Search' }, h('span', { 'aria-hidden': 'true' }, '⌕'), h('span', { class: 'wide-only' }, 'Search'), h('kbd', { class: 'wide-only' }, '/')),
    h('button', { type: 'button', class: 'button small share', onclick: shareDialog }, 'Share'), large, FACTS.docs ? h('a', { class: 'docs wide-only', href: `${FACTS.docs}index.html` }, 'Docs') : null, h('button', { type: 'button', class: 'icon', id: 'theme', onclick: () => theme(true) }), h('a', { class: 'icon', href: '#/help', 'aria-label': 'Help', title: 'help' }, '?'));
  theme(false);
  if (keep('large')) document.documentElement.classList.add('large');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => theme(false));
  addEventListener('hashchange', () => { if (location.hash !== quietly) route(); quietly = ''; });
  document.addEventListener('keydown', e => {
    const typing = e.target.closest?.('input,textarea,select');
    if ((e.key === '/' && !typing && !e.ctrlKey && !e.metaKey) || (e.key === 'k' && (e.ctrlKey || e.metaKey))) { e.preventDefault(); searchDialog(); }
    if (e.altKey && !e.ctrlKey && !e.metaKey && nav[+e.key - 1]) { e.preventDefault(); nav[+e.key - 1].click(); }
  });
  document.querySelector('.skip').addEventListener('click', e => { e.preventDefault(); document.getElementById('main').focus(); });
  route();
}
