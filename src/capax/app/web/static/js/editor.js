// The editor: a text area over its own coloured copy, with values beside lines, underlines and completion.
const SIGNS = /#[^\n]*|"(?:\\[^\n]|[^"\\\n])*"?|\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b|[A-Za-z_]\w*|[=!<>]=?|[-+*/%^]/g;
function editorPane({ text, names, label, onchange, onpick, online, hint = true }) {
  const kinds = new Map(names.map(n => [n.label, n.kind]));
  const known = new Map(names.map(n => [n.label, n]));
  const copy = h('div', { class: 'copy', 'aria-hidden': 'true' });
  const help = `edhelp${(editorPane.count = (editorPane.count || 0) + 1)}`;
  const area = h('textarea', { 'aria-label': label, 'aria-describedby': help, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', autocorrect: 'off', wrap: 'off', rows: 1 });
  const popup = h('div', { class: 'popup', role: 'listbox', 'aria-label': 'completions', hidden: true });
  const box = h('div', { class: 'code-scroll' }, h('div', { class: 'code' }, copy, area), popup);
  const el = h('div', { class: 'editor' }, box,
    h('p', { class: hint ? 'hint small quiet' : 'unseen', id: help }, 'Tab completes a name; Escape, then Tab, leaves the editor. Ctrl+Space lists names.'));
  let values = {}, marks = [], free = false, options = [], at = -1, lit = -1, here = '';
  area.value = text;
  const kindOf = t => (t[0] === '#' ? 'rc' : t[0] === '"' ? 'rs' : /\d/.test(t[0]) ? 'rn' : /[A-Za-z_]/.test(t[0]) ? { word: 'rk', library: 'rb' }[kinds.get(t)] || '' : 'ro');
  function coloured(line, mark) {
    const out = [];
    let last = 0, start = -1, end = -1;
    if (mark) {
      start = mark.column - 1;
      end = start + Math.max(1, (/^(\w+|"[^"]*"?|\S)/.exec(line.slice(start)) || [' '])[0].length);
    }
    const add = (s, e, kind) => {
      const cuts = [s, ...[start, end].filter(c => c > s && c < e), e];
      for (let k = 0; k + 1 < cuts.length; k++) {
        const inside = mark && cuts[k] >= start && cuts[k + 1] <= end;
        out.push(kind || inside ? h('span', { class: `${kind} ${inside ? `under ${mark.kind}` : ''}` }, line.slice(cuts[k], cuts[k + 1])) : line.slice(cuts[k], cuts[k + 1]));
      }
    };
    for (const m of line.matchAll(SIGNS)) {
      if (m.index > last) add(last, m.index, '');
      add(m.index, m.index + m[0].length, kindOf(m[0]));
      last = m.index + m[0].length;
    }
    if (last < line.length) add(last, line.length, '');
    if (mark && start >= line.length) out.push(h('span', { class: `under ${mark.kind}` }, ' '));
    return out;
  }
  const inline = name => {
    const one = values[name];
    if (!one) return null;
    return h('span', { class: 'value', 'data-name': name }, one.pairs ? miniGrid(one.pairs.map(r => r.map(Number)), 'selected', Math.min(30, Math.max(15, 3 * one.pairs.length))) : h('span', {}, one.values.map(v => h('i', {}, tokenText(v)))));
  };
  const definedBy = line => (/^\s*(?:state\s+)?([A-Za-z_]\w*)\s*=(?!=)/.exec(line) || [])[1];
  function paint() {
    put(copy, area.value.split('\n').map((line, k) => {
      const mark = marks.find(m => m.line === k + 1);
      const name = definedBy(line);
      return h('div', { class: `line ${k === lit ? 'lit' : ''}` }, h('span', { class: `number ${mark ? mark.kind : ''}` }, `${k + 1}`), coloured(line, mark), name && !/^\s*state\s/.test(line) ? inline(name) : null);
    }));
    area.style.height = 'auto';
  }
  function word() {
    const before = area.value.slice(0, area.selectionStart);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    return line.includes('#') || area.selectionStart !== area.selectionEnd ? '' : (/[A-Za-z_]\w*$/.exec(before) || [''])[0];
  }
  function close() { popup.hidden = true; options = []; at = -1; area.removeAttribute('aria-activedescendant'); }
  function complete(always) {
    const part = word();
    if (part.length < 2 && !always) return close();
    const own = [...new Set([...area.value.matchAll(/([A-Za-z_]\w*)\s*=(?!=)|def\s+(\w+)/g)].map(m => m[1] || m[2]))];
    const all = [...own.filter(n => !known.has(n)).map(n => ({ label: n, detail: '', info: 'defined here' })), ...names];
    options = all.filter(n => n.label.startsWith(part) && n.label !== part).slice(0, 8);
    if (!options.length) return close();
    at = always ? 0 : -1;
    const before = area.value.slice(0, area.selectionStart - part.length).split('\n');
    const style = getComputedStyle(area), line = parseFloat(style.lineHeight);
    const probe = h('span', { class: 'probe' }, '0'); copy.append(probe);
    const ch = probe.getBoundingClientRect().width; probe.remove();
    popup.style.left = `${Math.max(0, Math.min(box.clientWidth - 260, 44 + before[before.length - 1].length * ch - box.scrollLeft))}px`;
    popup.style.top = `${10 + before.length * line - box.scrollTop}px`;
    popup.hidden = false; show();
  }
  function show() {
    put(popup, options.map((o, k) => h('div', { role: 'option', id: `${help}o${k}`, 'aria-selected': String(k === at), onpointerdown: e => { e.preventDefault(); take(k); } },
      h('b', { class: 'mono' }, o.label), ' ', h('span', { class: 'quiet small' }, [o.detail, o.info].filter(Boolean).join(' · ')))));
    if (at >= 0) area.setAttribute('aria-activedescendant', `${help}o${at}`);
  }
  function take(k) {
    const part = word(), end = area.selectionStart;
    area.setRangeText(options[k].label, end - part.length, end, 'end');
    close(); changed();
  }
  function moved() {
    const name = definedBy(area.value.split('\n')[area.value.slice(0, area.selectionStart).split('\n').length - 1]) || '';
    if (lit >= 0) { lit = -1; paint(); }
    if (name !== here) { here = name; online?.(name); }
  }
  // Lights the line that defines the first of some names that has one.
  el.light = wanted => {
    const lines = area.value.split('\n').map(definedBy);
    lit = wanted.map(name => lines.lastIndexOf(name)).find(k => k >= 0) ?? -1;
    paint();
    copy.children[lit]?.scrollIntoView({ block: 'nearest' });
    say(lit < 0 ? 'no line of the program names this head' : `line ${lit + 1}`);
  };
  function changed() { lit = -1; if (here) { here = ''; online?.(''); } paint(); onchange(area.value); }
  area.addEventListener('input', () => { marks = []; changed(); complete(false); });
  area.addEventListener('blur', close);
  area.addEventListener('click', moved);
  area.addEventListener('keyup', e => { if (/^(Arrow(Up|Down)|Home|End|Page)/.test(e.key)) moved(); });
  area.addEventListener('keydown', e => {
    if (!popup.hidden && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
      e.preventDefault(); at = (at + (e.key === 'ArrowDown' ? 1 : options.length - 1) + (at < 0 && e.key === 'ArrowUp' ? 1 : 0)) % options.length; show(); return;
    }
    if (!popup.hidden && (e.key === 'Tab' || (e.key === 'Enter' && at >= 0)) && !e.shiftKey) { e.preventDefault(); take(Math.max(at, 0)); return; }
    if (e.key === 'Escape') { if (!popup.hidden) { e.preventDefault(); close(); } free = true; return; }
    if (e.key === ' ' && e.ctrlKey) { e.preventDefault(); complete(true); return; }
    if (e.key === 'Tab' && !e.shiftKey && !free) { e.preventDefault(); area.setRangeText('  ', area.selectionStart, area.selectionEnd, 'end'); changed(); return; }
    if (e.key !== 'Tab') free = false;
    if (e.key === '/' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); comment(); }
  });
  function comment() {
    const lines = area.value.split('\n'), k = area.value.slice(0, area.selectionStart).split('\n').length - 1, caret = area.selectionStart;
    const off = /^\s*#/.test(lines[k]);
    lines[k] = off ? lines[k].replace(/^(\s*)# ?/, '$1') : `# ${lines[k]}`;
    area.value = lines.join('\n'); area.selectionStart = area.selectionEnd = Math.max(0, caret + (off ? -2 : 2)); changed();
  }
  copy.addEventListener('click', e => { const v = e.target.closest('.value'); if (v) onpick?.(v.dataset.name); });
  Object.defineProperty(el, 'text', { get: () => area.value, set: value => { area.value = value; values = {}; marks = []; paint(); } });
  el.values = given => { values = given || {}; paint(); };
  el.marks = given => { marks = given; paint(); };
  el.area = area;
  paint();
  return el;
}
