// Where answers come from: the server, or Python in the page (`backend`, set by the site's own script).
const SESSION = [...crypto.getRandomValues(new Uint8Array(12))].map(b => b.toString(16).padStart(2, '0')).join('');
const underway = new Map();
const cached = new Map();

class Refused extends Error {
  constructor(error) { super(error.what); this.error = error; }
}
// The answer to a request. Of those with the same `line`, the latest counts: an earlier one never settles.
async function ask(job, request, line) {
  const stop = new AbortController();
  if (line) { underway.get(line)?.abort(); underway.set(line, stop); }
  try {
    const result = window.capaxBackend ? await window.capaxBackend(job, request, stop.signal) : await askServer(job, request, stop.signal);
    return stop.signal.aborted ? await new Promise(() => {}) : result;
  } catch (error) {
    if (stop.signal.aborted) return await new Promise(() => {});
    throw error instanceof Refused ? error : new Refused({ what: error.message, hint: null });
  } finally {
    if (underway.get(line) === stop) underway.delete(line);
  }
}
async function askServer(job, request, signal) {
  let reply;
  try {
    reply = await fetch(`api/${job}`, {
      method: 'POST', signal, body: JSON.stringify(request),
      headers: { 'content-type': 'application/json', 'x-capax-session': SESSION },
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Refused({ what: 'the server does not answer', hint: 'is `capax serve` still running?' });
  }
  const found = await reply.json();
  if (found.error) throw new Refused(found.error);
  return found.result;
}
function once(job, request) {
  const key = JSON.stringify([job, request]);
  if (!cached.has(key)) cached.set(key, ask(job, request).catch(error => { cached.delete(key); throw error; }));
  return cached.get(key);
}
const startData = () => once('catalogue', { part: 'start' });
const exploreData = () => once('catalogue', { part: 'explore' });
