// page.js - the page at /: an editor, rows as a table and a chart, statements that run and ran. Texts of the server become text
// nodes, never markup.
'use strict';

const ROWS_MOST = 10000, ROWS_SHOWN = 1000;
const byId = id => document.getElementById(id);
let token = sessionStorage.getItem('token') || '';
let running = null; // {id, abort}
let result = {columns: [], rows: []};
let lastSql = '';

function make(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ---- requests ----

// Asks for the user and the password until the server gives a token.
async function logIn() {
  const dialog = byId('login');
  for (;;) {
    dialog.showModal();
    await new Promise(done => dialog.addEventListener('close', done, {once: true}));
    const pair = new TextEncoder().encode(byId('user').value + ':' + byId('password').value);
    const reply = await fetch('/login', {method: 'POST', headers: {
      'X-Pistachio': '1', 'Authorization': 'Basic ' + btoa(String.fromCharCode(...pair))}});
    byId('password').value = '';
    byId('refused').hidden = reply.ok;
    if (!reply.ok) continue;
    token = (await reply.json()).token;
    sessionStorage.setItem('token', token);
    return;
  }
}

let loggingIn = null;

// Fetches with the token, after a login if one is needed.
async function ask(path, options = {}) {
  for (;;) {
    const headers = {'X-Pistachio': '1', ...options.headers};
    if (token) headers.Authorization = 'Bearer ' + token;
    const reply = await fetch(path, {...options, headers});
    if (reply.status !== 401) return reply;
    loggingIn = loggingIn || logIn().finally(() => { loggingIn = null; });
    await loggingIn;
  }
}

function readColumns(reply) {
  return JSON.parse(reply.headers.get('X-Pistachio-Columns') || '[]').map(([name, type]) => ({name, type}));
}

const ESCAPES = {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\'};
// Reads a line of tsv; \N is NULL.
function readLine(line) {
  return line.split('\t').map(cell =>
    cell === '\\N' ? null : cell.replace(/\\(.)/g, (all, letter) => ESCAPES[letter] ?? all));
}

// Reads rows up to ROWS_MOST; the rest is left.
async function readRows(reply, abort) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  const rows = [];
  let rest = '', isFirst = true;
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return {rows, isWhole: true};
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!isFirst) rows.push(readLine(line));
      isFirst = false;
    }
    if (rows.length > ROWS_MOST) {
      abort.abort();
      return {rows: rows.slice(0, ROWS_MOST), isWhole: false};
    }
  }
}

// ---- running ----

function showError(error) {
  const hint = error.hint ? '\nhint: ' + error.hint : '';
  const place = error.position ? ' (character ' + error.position + ')' : '';
  byId('error').textContent = error.message + place + hint;
  byId('error').hidden = false;
}

async function runStatement(sql, state) {
  const reply = await ask('/query?format=tsv&timeline=1&id=' + running.id, {method: 'POST', body: sql, signal: running.abort.signal});
  if (!reply.ok) {
    showError((await reply.json()).error);
    state.textContent = '';
    return;
  }
  if ((reply.headers.get('Content-Type') || '').startsWith('text/plain')) {
    state.textContent = await reply.text();
    loadNames();
    return;
  }
  const columns = readColumns(reply);
  const {rows, isWhole} = await readRows(reply, running.abort);
  result = {columns, rows};
  lastSql = sql;
  showResult();
  state.textContent = (isWhole ? rows.length : 'the first ' + rows.length) + ' rows';
}

async function run() {
  const box = byId('sql'), state = byId('state');
  if (running || !box.value.trim()) return;
  const selected = box.value.slice(box.selectionStart, box.selectionEnd);
  const began = performance.now();
  hideCompletions();
  running = {id: crypto.getRandomValues(new Uint32Array(4)).join('-'), abort: new AbortController()};
  byId('error').hidden = true;
  byId('result').hidden = true;
  byId('cancel').hidden = false;
  byId('run').disabled = true;
  state.textContent = 'running';
  refreshSoon();
  const id = running.id;
  followTime(id);
  try {
    await runStatement(selected.trim() ? selected : box.value, state);
    if (state.textContent) state.textContent += ', ' + ((performance.now() - began) / 1000).toFixed(3) + ' s';
  } catch (error) {
    state.textContent = '';
    showError({message: error.name === 'AbortError' ? 'cancelled' : 'the reply broke off: ' + error.message});
  }
  running = null;
  byId('cancel').hidden = true;
  byId('run').disabled = false;
  refreshSoon();
  showTime(id).catch(() => {});
}

function cancel(id) {
  return ask('/query/' + id, {method: 'DELETE'}).then(refreshSoon);
}

// ---- rows ----

const isNumber = type => /int|decimal|double|real|float/.test(type) && !/interval|\[|struct|map/.test(type);

function showResult() {
  const head = make('tr'), body = document.createDocumentFragment();
  for (const column of result.columns) {
    const cell = make('th', column.name);
    cell.scope = 'col';
    cell.append(make('small', column.type));
    head.append(cell);
  }
  for (const row of result.rows.slice(0, ROWS_SHOWN)) {
    const line = make('tr');
    row.forEach((value, i) => {
      line.append(value === null ? make('td', 'NULL', 'null')
        : make('td', value, isNumber(result.columns[i]?.type || '') ? 'number' : ''));
    });
    body.append(line);
  }
  document.querySelector('thead').replaceChildren(head);
  document.querySelector('tbody').replaceChildren(body);
  const choices = () => result.columns.map((column, i) => {
    const option = make('option', column.name);
    option.value = i;
    return option;
  });
  byId('x').replaceChildren(...choices());
  byId('y').replaceChildren(...choices());
  const first = result.columns.findIndex((column, i) => i > 0 && isNumber(column.type));
  byId('y').value = Math.max(first, 0);
  byId('result').hidden = false;
  drawChart();
}

// ---- chart ----

function svg(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Returns places of values along x: numbers and times in proportion, others one after the other.
function placesOf(values, type) {
  const numbers = values.map(value => isNumber(type) ? Number(value) : /date|timestamp/.test(type) ? Date.parse(value) : NaN);
  return numbers.some(number => !Number.isFinite(number)) ? values.map((_, i) => i) : numbers;
}

// Returns a number in few characters: 1.25M, 800G, 0.001.
function short(value) {
  const letters = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let i = 0;
  for (; Math.abs(value) >= 10000 && i < 6; i++) value /= 1000;
  return Number(value.toPrecision(4)) + letters[i];
}

function drawChart() {
  const kind = byId('kind').value, chart = byId('chart');
  const x = Number(byId('x').value), y = Number(byId('y').value);
  chart.toggleAttribute('hidden', !kind);
  if (!kind || !result.rows.length) return;
  const rows = result.rows.filter(row => row[y] !== null && Number.isFinite(Number(row[y])));
  const width = 900, height = 280, left = 60, bottom = 30, top = 12;
  chart.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  chart.replaceChildren();
  if (!rows.length) {
    chart.append(svg('text', {x: left, y: height / 2}, 'the column has no numbers'));
    return;
  }
  const places = placesOf(rows.map(row => row[x]), result.columns[x].type), values = rows.map(row => Number(row[y]));
  const span = (list, from) => {
    const low = list.reduce((a, b) => Math.min(a, b), from), high = list.reduce((a, b) => Math.max(a, b), from);
    return [low, high === low ? low + (Math.abs(low) || 1) : high];
  };
  const [x0, x1] = span(places, places[0]), [y0, y1] = span(values, kind === 'bars' ? 0 : values[0]);
  const bar = Math.max(1, (width - left) / rows.length * .7), edge = kind === 'bars' ? bar / 2 : 0;
  const atX = place => left + 10 + edge + (place - x0) / (x1 - x0) * (width - left - 30 - 2 * edge);
  const atY = value => height - bottom - (value - y0) / (y1 - y0) * (height - bottom - top);
  for (let i = 0; i <= 4; i++) {
    const value = y0 + (y1 - y0) * i / 4;
    chart.append(svg('line', {class: 'axis', x1: left, x2: width, y1: atY(value), y2: atY(value)}));
    chart.append(svg('text', {x: left - 6, y: atY(value) + 4, 'text-anchor': 'end'}, short(value)));
  }
  for (const i of [...new Set([0, rows.length >> 1, rows.length - 1])])
    chart.append(svg('text', {x: atX(places[i]), y: height - 8, 'text-anchor': i ? i === rows.length - 1 ? 'end' : 'middle' : 'start'},
      String(rows[i][x] ?? 'NULL').slice(0, 24)));
  if (kind === 'line')
    chart.append(svg('polyline', {class: 'curve', points: places.map((place, i) => atX(place) + ',' + atY(values[i])).join(' ')}));
  for (let i = 0; kind !== 'line' && i < rows.length; i++)
    chart.append(kind === 'points' ? svg('circle', {class: 'mark', cx: atX(places[i]), cy: atY(values[i]), r: 2.5})
      : svg('rect', {class: 'mark', x: atX(places[i]) - bar / 2, width: bar, y: Math.min(atY(values[i]), atY(0)),
        height: Math.abs(atY(values[i]) - atY(0))}));
}

// ---- timeline ----

const OPERATORS_SHOWN = 7;
const total = list => list.reduce((a, b) => a + b, 0);

function sayBytes(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
  return Number(bytes.toPrecision(3)) + ' ' + units[i];
}

function saySeconds(seconds) {
  return seconds < 1 ? Number((seconds * 1000).toPrecision(3)) + ' ms' : Number(seconds.toPrecision(4)) + ' s';
}

// Returns the operators that took most, those beyond OPERATORS_SHOWN as one: {name, busy, seconds}.
function mostBusy(operators) {
  const list = operators.map(one => ({...one, seconds: total(one.busy)})).sort((a, b) => b.seconds - a.seconds);
  if (list.length <= OPERATORS_SHOWN + 1) return list;
  const rest = list.slice(OPERATORS_SHOWN);
  const busy = rest[0].busy.map((_, i) => total(rest.map(one => one.busy[i])));
  return [...list.slice(0, OPERATORS_SHOWN), {name: rest.length + ' others', busy, seconds: total(busy)}];
}

// Draws steps from `low` to `high`, a value for each bin.
function drawSteps(chart, className, low, high, atX, atY) {
  const there = high.map((value, i) => atX(i) + ',' + atY(value) + ' ' + atX(i + 1) + ',' + atY(value));
  const back = low.map((value, i) => atX(i + 1) + ',' + atY(value) + ' ' + atX(i) + ',' + atY(value)).reverse();
  chart.append(svg('polygon', {class: className, points: there.concat(back).join(' ')}));
}

// A panel's axis from 0 to `most`; returns the place of a value.
function drawAxis(chart, title, top, height, left, width, most, say) {
  const atY = value => top + height * (1 - Math.min(value / most, 1));
  chart.append(svg('text', {x: left, y: top - 6}, title));
  for (const value of [0, most / 2, most]) {
    chart.append(svg('line', {class: 'axis', x1: left, x2: width, y1: atY(value), y2: atY(value)}));
    chart.append(svg('text', {x: left - 6, y: atY(value) + 4, 'text-anchor': 'end'}, say(value)));
  }
  return atY;
}

// Draws busy threads by operator, and bytes read, over time. The line is T_min, where storage has been measured.
function drawTimeline(noted) {
  const chart = byId('timeline'), bins = noted.bytes.length;
  const operators = mostBusy(noted.operators), work = total(operators.map(one => one.seconds));
  const mean = Number((work / (noted.seconds || 1)).toPrecision(3));
  byId('time').hidden = !bins;
  chart.toggleAttribute('hidden', !bins);
  if (!bins) return;
  byId('time-text').textContent = saySeconds(noted.seconds) + ', ' + mean + ' of ' + noted.threads + ' threads busy in the mean, ' +
    sayBytes(total(noted.bytes)) + ' read' + (noted.bound ? ', T_min ' + saySeconds(noted.bound) : '');
  const read = total(noted.bytes), bottom = read ? 264 : 154;
  const width = 900, left = 70, span = Math.max(noted.seconds, noted.bin / 10), right = width - 20;
  chart.setAttribute('viewBox', '0 0 ' + width + ' ' + (bottom + 36));
  chart.replaceChildren();
  const atX = bin => left + Math.min(bin * noted.bin / span, 1) * (right - left);
  const lengths = noted.bytes.map((_, i) => Math.max(Math.min(span - i * noted.bin, noted.bin), noted.bin / 1000));
  let atY = drawAxis(chart, 'Busy threads', 24, 130, left, right, noted.threads, value => Number(value.toPrecision(3)));
  let low = noted.bytes.map(() => 0);
  operators.forEach((one, number) => {
    const high = one.busy.map((seconds, i) => low[i] + seconds / lengths[i]);
    drawSteps(chart, 'operator' + number, low, high, atX, atY);
    low = high;
  });
  const rates = !read ? [] : noted.bytes.map((bytes, i) => bytes / lengths[i]);
  if (read) {
    atY = drawAxis(chart, 'Read a second', 184, 80, left, right, Math.max(...rates), sayBytes);
    drawSteps(chart, 'read', rates.map(() => 0), rates, atX, atY);
  }
  const line = atX(noted.bound / noted.bin);
  if (noted.bound) {
    chart.append(svg('line', {class: 'least', x1: line, x2: line, y1: 24, y2: bottom}));
    chart.append(svg('text', {x: line + 4, y: 34}, 'T_min'));
  }
  for (const i of [0, 1, 2, 3, 4])
    chart.append(svg('text', {x: left + i / 4 * (right - left), y: bottom + 20, 'text-anchor': i ? i === 4 ? 'end' : 'middle' : 'start'}, saySeconds(span * i / 4)));
  byId('operators').replaceChildren(...operators.map((one, number) => {
    const item = make('li'), mark = svg('svg', {viewBox: '0 0 1 1', 'aria-hidden': 'true'});
    mark.append(svg('rect', {class: 'operator' + number, width: 1, height: 1}));
    item.append(mark, one.name + ', ' + saySeconds(one.seconds));
    return item;
  }));
}

let shownTime = ''; // the id of the statement whose time is shown

async function showTime(id) {
  const reply = await ask('/timeline/' + id);
  if (reply.ok && shownTime === id) drawTimeline(await reply.json());
}

// Draws the statement's time again and again while it runs.
async function followTime(id) {
  shownTime = id;
  byId('time').hidden = true;
  do {
    await new Promise(done => setTimeout(done, 500));
    if (running && running.id === id && !document.hidden) await showTime(id).catch(() => {});
  } while (running && running.id === id);
}

// ---- download ----

async function download() {
  const format = byId('format').value;
  const reply = await ask('/query?format=' + format, {method: 'POST', body: lastSql});
  if (!reply.ok) {
    showError((await reply.json()).error);
    return;
  }
  const link = make('a');
  link.href = URL.createObjectURL(await reply.blob());
  link.download = 'rows.' + format;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// ---- statements ----

let refreshing = 0;

function showStatement(one) {
  const box = make('div', undefined, 'statement');
  const text = make('code', one.sql), take = () => { byId('sql').value = one.sql; byId('sql').focus(); };
  text.title = 'Take it into the editor';
  text.tabIndex = 0;
  text.setAttribute('role', 'button');
  text.addEventListener('click', take);
  text.addEventListener('keydown', event => event.key === 'Enter' && take());
  const seconds = ((one.ended || Date.now()) - one.began) / 1000;
  const share = one.total ? ', ' + Math.round(100 * one.done / one.total) + '%' : '';
  box.append(text, make('div', one.state + ', ' + seconds.toFixed(1) + ' s, ' + one.rows + ' rows' +
    (one.state === 'running' ? share : '')));
  if (one.timeline) {
    const time = make('button', 'Time');
    time.addEventListener('click', () => { shownTime = one.id; showTime(one.id); });
    box.append(time);
  }
  if (one.error) box.append(make('div', one.error, 'error'));
  if (one.state === 'running') {
    const progress = make('progress'), stop = make('button', 'Cancel');
    if (one.total) {
      progress.max = one.total;
      progress.value = one.done;
    }
    stop.addEventListener('click', () => cancel(one.id));
    box.append(progress, stop);
  }
  return box;
}

// Shows the statements, again in a second while one runs.
async function refresh() {
  clearTimeout(refreshing);
  let list = [];
  try {
    list = await (await ask('/queries')).json();
  } catch {
    return;
  }
  list.sort((a, b) => b.began - a.began);
  byId('statements').replaceChildren(...list.slice(0, 50).map(showStatement));
  if (!document.hidden) refreshing = setTimeout(refresh, list.some(one => one.state === 'running') ? 1000 : 10000);
}

function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(refresh, 150);
}

// ---- completion ----

const KEYWORDS = ('select from where group by order having limit join left on using and or not null is in between like case when ' +
  'then else end as distinct union all with count sum avg min max cast interval date timestamp desc asc explain analyze show ' +
  'describe').split(' ');
let names = []; // {text, kind}
let matches = [], chosen = 0;

async function loadNames() {
  const sql = "select table_name, column_name from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')";
  const reply = await ask('/query?format=tsv', {method: 'POST', body: sql});
  if (!reply.ok) return;
  const {rows} = await readRows(reply, new AbortController());
  const tables = new Set(rows.map(row => row[0])), columns = new Map(rows.map(row => [row[1], row[0]]));
  names = [...[...tables].map(text => ({text, kind: 'table'})), ...[...columns].map(([text, of]) => ({text, kind: of})),
    ...KEYWORDS.map(text => ({text, kind: ''}))];
}

function wordBefore(box) {
  return /[\p{L}_][\p{L}\p{N}_]*$/u.exec(box.value.slice(0, box.selectionStart))?.[0] || '';
}

function hideCompletions() {
  byId('completions').hidden = true;
  matches = [];
}

function showCompletions(isAsked) {
  const word = wordBefore(byId('sql')).toLowerCase(), list = byId('completions');
  matches = word || isAsked ? names.filter(name => name.text.toLowerCase().startsWith(word) && name.text.toLowerCase() !== word).slice(0, 12) : [];
  chosen = 0;
  list.replaceChildren(...matches.map((name, i) => {
    const item = make('li', name.text);
    item.append(make('small', name.kind));
    item.setAttribute('role', 'option');
    item.setAttribute('aria-selected', i === chosen);
    item.addEventListener('mousedown', event => { event.preventDefault(); chosen = i; complete(); });
    return item;
  }));
  list.hidden = !matches.length || (!isAsked && word.length < 2);
}

// Names that are not plain words are written in quotes.
function quoted(text) {
  return /^[a-z_][a-z0-9_]*$/.test(text) ? text : '"' + text.replaceAll('"', '""') + '"';
}

function complete() {
  const box = byId('sql'), word = wordBefore(box), name = matches[chosen];
  if (name) box.setRangeText(quoted(name.text), box.selectionStart - word.length, box.selectionStart, 'end');
  hideCompletions();
}

function choose(step) {
  chosen = (chosen + step + matches.length) % matches.length;
  [...byId('completions').children].forEach((item, i) => {
    item.setAttribute('aria-selected', i === chosen);
    if (i === chosen) item.scrollIntoView({block: 'nearest'});
  });
}

function onKey(event) {
  const isOpen = !byId('completions').hidden;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
  else if (event.key === ' ' && event.ctrlKey) showCompletions(true);
  else if (event.key === 'Escape' && isOpen) hideCompletions();
  else if (event.key === 'Escape' && running) cancel(running.id);
  else if (isOpen && event.key === 'ArrowDown') choose(1);
  else if (isOpen && event.key === 'ArrowUp') choose(-1);
  else if (isOpen && event.key === 'Tab') complete();
  else return;
  event.preventDefault();
}

byId('sql').addEventListener('keydown', onKey);
byId('sql').addEventListener('input', () => showCompletions(false));
byId('sql').addEventListener('blur', hideCompletions);
byId('run').addEventListener('click', run);
byId('cancel').addEventListener('click', () => running && cancel(running.id));
byId('download').addEventListener('click', download);
for (const id of ['kind', 'x', 'y']) byId(id).addEventListener('change', drawChart);
document.addEventListener('visibilitychange', () => document.hidden || refreshSoon());
loadNames().then(refresh);
