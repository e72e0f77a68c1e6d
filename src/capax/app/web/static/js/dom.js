// Small things that every page uses: elements, texts, and pieces that look the same everywhere.
const FACTS = JSON.parse(document.querySelector('meta[name=capax]').content);
const SERVED = FACTS.mode === 'server';
// What a page without a server says in place of controls that need one.
const without = (...text) => h('p', { class: 'small quiet' }, 'This page has no server. ', ...text);
const CALM = matchMedia('(prefers-reduced-motion: reduce)');

// An element: h('button', {class: 'x', onclick}, 'text', child).
function h(tag, props, ...children) {
  const at = tag.startsWith('svg:') ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) at.addEventListener(name.slice(2), value);
    else if (name === 'html') at.innerHTML = value;
    else if (name === 'value') at.value = value;
    else if (name === 'checked') at.checked = value;
    else at.setAttribute(name, value === true ? '' : value);
  }
  at.append(...children.flat(9).filter(c => c !== null && c !== undefined && c !== false));
  return at;
}
function put(at, ...children) {
  at.replaceChildren(...children.flat(9).filter(c => c !== null && c !== undefined && c !== false));
  return at;
}
// A text whose `code` becomes code.
function prose(text) {
  const parts = String(text ?? '').split('`');
  return parts.length % 2 ? parts.map((part, k) => (k % 2 ? h('code', {}, part) : part)) : [String(text)];
}
const sentence = text => (!text || /^[\w-]+\.\w/.test(text) ? text || '' : text[0].toUpperCase() + text.slice(1)); // a file's name stays as it is
const grouped = n => Number(n).toLocaleString('en-US');
const counted = (n, what) => `${typeof n === 'number' ? grouped(n) : n} ${what}${n === 1 ? '' : 's'}`;
const chip = (text, kind) => h('span', { class: `chip ${kind || ''}` }, text);
const chips = (...items) => h('div', { class: 'chips' }, items.filter(Boolean));
const link = (to, ...text) => h('a', { href: `#/${to}` }, ...text);
function shortly(value) {
  if (value === true) return 'T';
  if (value === false) return 'F';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(+value.toPrecision(4));
  return value === '' ? '""' : String(value);
}
function table(head, rows, caption) {
  const named = head.map(String);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption || named.filter(Boolean).join(', ') },
    h('table', { class: 'plain' },
      h('thead', {}, h('tr', {}, named.map(one => (one ? h('th', { scope: 'col' }, one) : h('td', {}))))),
      h('tbody', {}, rows.map(row => h('tr', {}, row.map((cell, k) => h('td', { 'data-title': named[k] }, cell)))))));
}
function problem(error, kind) {
  const source = String(error.text || '').split('\n').slice(1).filter(l => !l.startsWith('hint:') && !l.includes('-->')).join('\n');
  const where = error.line ? h('span', { class: 'quiet small' }, ` line ${error.line}, column ${error.column}`) : null;
  return h('div', { class: `problem ${kind || ''}`, role: 'alert' },
    h('div', {}, prose(sentence(plainly(error.what))), where),
    error.line && source ? h('pre', {}, source) : null,
    error.hint ? h('div', { class: 'small' }, prose(plainly(error.hint))) : null);
}
// Messages are written for the command line; a page has no file and no options.
const plainly = text => String(text ?? '').replaceAll('program.rasp:', '').replaceAll('program.rasp', 'the program');
// Names that nobody wrote.
const readable = name => String(name).replace(/\bfull_s\b/g, 'every position');
function field(label, control, note) {
  const id = control.id || (control.id = `f${(field.count = (field.count || 0) + 1)}`);
  return h('div', { class: 'field' }, h('label', { for: id }, label), control, note ? h('span', { class: 'quiet small' }, note) : null);
}
function choice(options, value, onchange, props) {
  const entries = Array.isArray(options) ? options.map(o => (Array.isArray(o) ? o : [o, o])) : Object.entries(options);
  const at = h('select', { ...props, onchange: () => onchange(at.value) }, entries.map(([k, label]) => h('option', { value: k }, label)));
  at.value = value;
  return at;
}
// Buttons of which one is on.
function segments(label, options, value, onchange) {
  const entries = Object.entries(options);
  const at = h('div', { class: 'segments', role: 'group', 'aria-label': label }, entries.map(([key, text]) =>
    h('button', { type: 'button', 'data-key': key, onclick: () => { at.set(key); onchange(key); } }, text)));
  at.set = key => { at.value = key; for (const b of at.children) b.setAttribute('aria-pressed', String(b.dataset.key === key)); };
  at.set(value);
  return at;
}
function later(work, pause) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), pause); };
}
const ICONS = { play: 'M3 1.5v11l9-5.5z', pause: 'M2.5 1.5h3v11h-3zM8.5 1.5h3v11h-3z' };
const icon = name => h('svg:svg', { viewBox: '0 0 14 14', width: 12, height: 12, 'aria-hidden': 'true' }, h('svg:path', { d: ICONS[name], fill: 'currentColor' }));
const say = text => { document.getElementById('said').textContent = text; };
function keep(name, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(`capax-${name}`) || 'null');
    localStorage.setItem(`capax-${name}`, JSON.stringify(value));
  } catch { /* a page from the disk may have no storage */ }
  return value === undefined ? null : value;
}
function download(name, data, type) {
  const bytes = typeof data === 'string' && type === 'base64' ? Uint8Array.from(atob(data), c => c.charCodeAt(0)) : data;
  const at = h('a', { href: URL.createObjectURL(new Blob([bytes])), download: name });
  document.body.append(at); at.click(); at.remove();
  setTimeout(() => URL.revokeObjectURL(at.href), 10000);
}
// Drawings follow the system's colours by themselves; here they follow the page's.
function themed(box) {
  const night = document.documentElement.dataset.theme === 'dark';
  for (const sheet of box.querySelectorAll('svg style')) {
    sheet.textContent = (sheet.dataset.own ||= sheet.textContent).replaceAll(/@media ?\(prefers-color-scheme: ?dark\)/g, night ? '@media all' : '@media not all');
  }
  return box;
}
document.addEventListener('capax-theme', () => themed(document));
// A drawing of ours, an SVG, in a box that scrolls where it is too wide.
function drawing(svg, label) {
  if (!svg) return null;
  const box = themed(h('div', { class: 'drawing', tabindex: 0, role: 'region', 'aria-label': label, html: svg }));
  const at = box.querySelector('svg');
  if (at && !at.getAttribute('aria-label') && !at.querySelector('title')) { at.setAttribute('role', 'img'); at.setAttribute('aria-label', label); }
  return box;
}
