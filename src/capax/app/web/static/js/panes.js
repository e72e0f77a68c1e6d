// Bars between panes: dragged with the mouse or a finger, moved by arrow keys; sizes are kept in the browser.
// `beside` is across or down; `apply(percent)` sizes the panes, null as at first; `measure()` is the size now.
function paneBar({ name, label, beside, least, most, measure, apply }) {
  const kept = () => keep('panes') || {};
  const bar = h('div', { class: `pane-bar ${beside}`, role: 'separator', tabindex: 0, 'aria-orientation': beside === 'across' ? 'vertical' : 'horizontal', 'aria-label': label, 'aria-valuemin': least, 'aria-valuemax': most, title: 'drag, or use the arrow keys; Enter or a double click sets it back' });
  const tell = () => bar.setAttribute('aria-valuenow', String(Math.round(Math.max(least, Math.min(most, measure())))));
  function set(percent) {
    const size = percent === null ? null : Math.max(least, Math.min(most, percent));
    apply(size);
    keep('panes', { ...kept(), [name]: size === null ? undefined : Math.round(size * 10) / 10 });
    tell();
  }
  const [less, more] = beside === 'across' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowDown', 'ArrowUp'];
  bar.addEventListener('keydown', event => {
    const to = { [less]: () => measure() - 2, [more]: () => measure() + 2, Home: () => least, End: () => most, Enter: () => null }[event.key];
    if (!to) return;
    event.preventDefault();
    set(to());
  });
  bar.addEventListener('dblclick', () => set(null));
  bar.addEventListener('pointerdown', event => {
    event.preventDefault();
    bar.focus({ preventScroll: true });
    bar.setPointerCapture(event.pointerId);
    bar.classList.add('dragged');
  });
  bar.addEventListener('pointermove', event => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const box = bar.parentElement.getBoundingClientRect();
    set(beside === 'across' ? (100 * (event.clientX - box.left)) / box.width : (100 * (box.bottom - event.clientY)) / box.height);
  });
  bar.addEventListener('lostpointercapture', () => bar.classList.remove('dragged'));
  if (kept()[name] !== undefined) apply(kept()[name]);
  new ResizeObserver(() => bar.isConnected && tell()).observe(bar);
  return bar;
}
// Two panes side by side, with a bar between them.
function panes(left, right, kind = '') {
  const at = h('div', { class: `build ${kind}` }, left);
  const share = one => (100 * one.getBoundingClientRect().width) / Math.max(1, at.getBoundingClientRect().width);
  at.append(paneBar({ name: 'code', label: 'width of the program', beside: 'across', least: 20, most: 75, measure: () => share(left), apply: size => (size === null ? at.style.removeProperty('--code') : at.style.setProperty('--code', `${size}%`)) }), right);
  return at;
}
// The bar above the lower part of a pane.
function lowerBar(pane, lower) {
  const share = () => (100 * lower.getBoundingClientRect().height) / Math.max(1, pane.getBoundingClientRect().height);
  return paneBar({ name: 'weights', label: 'height of the weights', beside: 'down', least: 8, most: 70, measure: share, apply: size => {
    lower.classList.toggle('sized', size !== null);
    if (size === null) lower.style.removeProperty('--weights'); else lower.style.setProperty('--weights', `${size}%`);
  } });
}
