// The front page's live figures, and the burst of requests with its timeline.
'use strict';

const find = (selector, root = document) => root.querySelector(selector);
const seconds = (ms) => `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1)} s`;

// ---- Right now ------------------------------------------------------------------------------------------------------

const show = (status) => {
  for (const place of document.querySelectorAll('[data-status] [data-key]')) {
    const value = status[place.dataset.key];
    place.textContent = typeof value === 'number' && place.dataset.key === 'wait_ms' ? value.toFixed(1) : value;
  }
};

const poll = async () => {
  if (!document.hidden) {
    try {
      const answer = await fetch('/api/status', { cache: 'no-store' });
      if (answer.ok) show(await answer.json());
    } catch {
      // The server may be restarting: the next turn asks again.
    }
  }
  setTimeout(poll, burning ? 150 : 2000);
};

// ---- The burst ------------------------------------------------------------------------------------------------------

let burning = false;

// A browser opens at most six connections to one host name, and would itself send 24 requests in four rounds. On the
// developer's own machine every name below localhost means the same server, so that there the limit can be stepped around.
const CONNECTIONS_PER_HOST = 6;

const origins = async (count) => {
  const own = location.origin;
  if (!['localhost', '127.0.0.1'].includes(location.hostname)) return [own];
  const port = location.port ? `:${location.port}` : '';
  const wanted = Math.ceil(count / CONNECTIONS_PER_HOST) - 1;
  const others = Array.from({ length: wanted }, (_, i) => `${location.protocol}//r${i + 1}.localhost${port}`);
  const reached = await Promise.all(others.map(async (origin) => {
    try {
      return (await fetch(`${origin}/sleep/0`, { cache: 'no-store' })).ok ? origin : null;
    } catch {
      return null;
    }
  }));
  return [own, ...reached.filter(Boolean)];
};

const send = async (origin, ms, begun) => {
  const answer = await fetch(`${origin}/sleep/${ms}?${Math.random()}`, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`/sleep/${ms} answered ${answer.status}`);
  const json = await answer.json();
  const end = performance.now() - begun;
  return { ...json, end, start: Math.max(0, end - json.took_ms) };
};

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const draw = (answers, total) => {
  const workers = [...new Set(answers.map((answer) => answer.worker))].sort((a, b) => a - b);
  const rows = answers.map((answer) => {
    const share = (ms) => `${(100 * ms / total).toFixed(2)}%`;
    const hue = (20 + 137 * workers.indexOf(answer.worker)) % 360;
    const queued = element('i', { className: 'queued' });
    queued.style.cssText = `left: 0; width: ${share(answer.start)}`;
    const ran = element('i', { className: 'ran' });
    ran.style.cssText = `left: ${share(answer.start)}; width: ${share(answer.took_ms)}; --worker: hsl(${hue} 55% 48%)`;
    const label = element('span', {}, element('span', { className: 'worker' }, `worker ${answer.worker} `),
      answer.howdah ? `realm ${answer.realm}` : '');
    label.querySelector('.worker').style.padding = 0;
    return element('li', { title: `from ${seconds(answer.start)} to ${seconds(answer.end)}` }, label, element('div', {}, queued, ran));
  });
  find('[data-timeline]').replaceChildren(...rows);
  find('[data-end]').textContent = seconds(total);
};

const compare = (total, serial) => {
  find('[data-here]').style.width = `${100 * total / Math.max(total, serial)}%`;
  find('[data-serial]').style.width = `${100 * serial / Math.max(total, serial)}%`;
  find('[data-here-text]').textContent = seconds(total);
  find('[data-serial-text]').textContent = seconds(serial);
};

const fire = async (button) => {
  const count = Number(button.dataset.count);
  const ms = Number(button.dataset.ms);
  const result = find('[data-result]');
  button.disabled = burning = true;
  result.textContent = `${count} requests are on their way…`;
  try {
    const hosts = await origins(count);
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, (_, i) => send(hosts[i % hosts.length], ms, begun)));
    const total = performance.now() - begun;
    const serial = answers.reduce((sum, answer) => sum + answer.took_ms, 0);
    answers.sort((a, b) => a.worker - b.worker || a.realm - b.realm || a.start - b.start);
    draw(answers, total);
    compare(total, serial);
    const workers = new Set(answers.map((answer) => answer.worker)).size;
    const realms = new Set(answers.map((answer) => `${answer.worker} ${answer.realm}`)).size;
    result.textContent = `${count} answers in ${seconds(total)} from ${workers} worker ${workers === 1 ? 'process' : 'processes'}`
      + (answers[0].howdah ? ` with ${realms} realms.` : '.');
    const rounds = Math.ceil(count / (CONNECTIONS_PER_HOST * hosts.length));
    find('[data-hint]').textContent = 'Grey: on its way, or until a realm had it.' + (rounds > 1
      ? ` Your browser opens ${CONNECTIONS_PER_HOST} connections to one host, so it sent them in about ${rounds} rounds.` : '');
    for (const part of ['race', 'timeline', 'axis', 'hint']) find(`[data-${part}]`).hidden = false;
  } catch (error) {
    result.textContent = `That failed: ${error.message}.`;
  } finally {
    button.disabled = burning = false;
  }
};

// ---- What a request leaves behind -----------------------------------------------------------------------------------

const cell = (found, column) => find(`[data-found=${found}]`).cells[column];

// False: that server is not there.
const leakOnce = async (column, path) => {
  const answer = await fetch(path, { cache: 'no-store' });
  if (answer.status === 404) {
    cell('list', column).textContent = 'not served';
    return false;
  }
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  const found = await answer.json();
  cell('sent', column).textContent = Number(cell('sent', column).textContent) + 1;
  cell('list', column).textContent = found.list === 0 ? 'nothing' : `${found.list}, ${(found.kilobytes / 1000).toFixed(1)} MB`;
  cell('listeners', column).textContent = found.listeners;
  cell('zone', column).textContent = found.zone;
  for (const key of ['list', 'listeners', 'zone']) cell(key, column).classList.toggle('left', found.list > 0);
  return true;
};

const leak = async (button) => {
  const result = find('[data-leaked]');
  button.disabled = true;
  result.textContent = '';
  try {
    let columns = [...document.querySelectorAll('[data-from]')];
    for (let i = 0; i < Number(button.dataset.count); i++) {
      const there = [];
      for (const column of columns) if (await leakOnce(column.cellIndex, column.dataset.from)) there.push(column);
      columns = there;
    }
    result.textContent = (find('td.left') ? 'Requests found what earlier ones had left.' : 'No request found what another one had left.')
      + (columns.length === 2 ? '' : ' A server with --rewind beside this one: make serve starts it.');
  } catch (error) {
    result.textContent = `That failed: ${error.message}.`;
  } finally {
    button.disabled = false;
  }
};

const leaker = find('[data-leak]');
leaker.addEventListener('click', () => leak(leaker));

const button = find('[data-fire]');
button.addEventListener('click', () => fire(button));
// /#send: a link that shows it at once.
if (location.hash === '#send') fire(button);
poll();
