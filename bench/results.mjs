// Measurements: bench/results.json, and the docs page generated from it.
import { cpus, loadavg } from 'node:os';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isMet, ROWS, targetOf } from './rows.mjs';

const FILE = new URL('results.json', import.meta.url);

export const readResults = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : []);

/**
 * Stores the measurement of one row and keeps the others.
 * @param {keyof typeof ROWS} id
 * @param {number} value
 * @param {{
 *   peers?: { name: string; version: string; value: number; unit?: string }[];
 *   points?: { x: number; value: number }[];
 *   note?: string;
 * }} [more]
 */
export function record(id, value, more = {}) {
  if (!(id in ROWS)) throw new TypeError(`bench/rows.mjs has no row ${id}`);
  const rounded = Number(value.toPrecision(4));
  const [cpu] = cpus();
  const measured = {
    value: rounded,
    ...more,
    at: new Date().toISOString().slice(0, 16) + 'Z',
    on: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(0)}`,
  };
  const before = new Map(readResults().map((result) => [result.row, result]));
  const results = Object.entries(ROWS).map(([name, row]) => {
    const now = name === id ? measured : pick(before.get(row.row));
    return {
      row: row.row,
      value: null,
      unit: row.unit,
      target: targetOf(row),
      ok: isMet(row, now?.value ?? null),
      ...now,
    };
  });
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`${ROWS[id].row}: ${rounded} ${ROWS[id].unit} (${targetOf(ROWS[id]) || 'no limit'})`);
}

function pick(result) {
  if (result === undefined || result.value === null) return undefined;
  const { row: _row, unit: _unit, target: _target, ok: _ok, ...measured } = result;
  return measured;
}

const figure = (value, unit) =>
  value === null ? 'not measured' : `${value}${unit === '' ? '' : ` ${unit}`}`;

/** The results as a Markdown table. */
export function table() {
  const lines = readResults().map(({ row, value, unit, target, ok, peers = [], points, note, at }) => {
    const others = peers.map(
      (peer) => `${peer.name} ${peer.version}: ${figure(peer.value, peer.unit ?? unit)}`,
    );
    const grown = points
      ? [points.map(({ x, value }) => `${x.toLocaleString('en')}: ${value}`).join(', ')]
      : [];
    const comparison = [...others, ...grown, ...(note ? [note] : [])].join('; ');
    const met = ok === null ? '' : ok ? 'yes' : '**no**';
    return `| ${row} | ${figure(value, unit)} | ${target} | ${met} | ${comparison} | ${at?.slice(0, 10) ?? ''} |`;
  });
  return ['| what | measured | must be | met | details | on |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Plots the points of a row, connected and labeled with their values. */
function picture({ row, points, unit }, x) {
  const [width, height, left, top] = [640, 240, 48, 32];
  const most = Math.max(1.2, ...points.map(({ value }) => value)) * 1.1;
  const at = (index) => left + ((width - 2 * left) * index) / Math.max(1, points.length - 1);
  const up = (value) => height - top - ((height - 2 * top) * value) / most;
  const dots = points.map(({ x, value }, index) => {
    const [cx, cy] = [at(index).toFixed(1), up(value).toFixed(1)];
    return `<circle cx="${cx}" cy="${cy}" r="4" fill="#2563eb"/><text x="${cx}" y="${(cy - 10).toFixed(1)}" text-anchor="middle">${value}${unit === '×' ? ' ×' : ` ${unit}`}</text><text x="${cx}" y="${height - 12}" text-anchor="middle">${x.toLocaleString('en')}</text>`;
  });
  const line = points.map(({ value }, index) => `${at(index).toFixed(1)},${up(value).toFixed(1)}`).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#64748b">
<title>${row}</title>
<line x1="${left}" x2="${width - left}" y1="${up(1).toFixed(1)}" y2="${up(1).toFixed(1)}" stroke="#cbd5e1" stroke-dasharray="4 4"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
${dots.join('\n')}
<text x="${width / 2}" y="16" text-anchor="middle">${x}</text>
</svg>
`;
}

/** Rows for readers of the docs, with descriptions. */
const HEADLINES = {
  form: 'Download size of a usable card form with an empty cache, compressed',
  warm: 'Click to form with `warm()`, relative to without it',
  frame: 'Click to form without `warm()`, relative to a bare `<iframe>`',
  start: 'Startup of the service on an empty database',
  memory: 'Memory of the service after startup',
  'fair-postgres': "20 due payments behind another biller's 2,000: the last one begins after",
  'webhooks-postgres': 'First attempt of a webhook while half of all receivers hang, p99',
};

const resultOf = (id) => readResults().find(({ row }) => row === ROWS[id].row);

/** The summary in docs/performance.md. */
export function summary() {
  const rows = Object.entries(HEADLINES).map(([id, words]) => {
    const { value, unit } = resultOf(id);
    return `| ${words} | ${figure(value, unit)} |`;
  });
  return ['| what | measured |', '|---|---|', ...rows].join('\n');
}

/** The pictures in docs/pictures, by file name, each with its alternative text. */
const pictures = () =>
  Object.entries(ROWS).flatMap(([id, { row, x }]) => {
    const result = resultOf(id);
    return x && result?.points ? [{ name: `bench-${id}.svg`, row, svg: picture(result, x) }] : [];
  });

export const pictureFiles = () =>
  Object.fromEntries(pictures().map(({ name, svg }) => [`pictures/${name}`, svg]));

/** All results and the machines that they were measured on, for bench/README.md. */
export function details() {
  const images = pictures().map(({ name, row }) => `![${row}](../docs/pictures/${name})`);
  const machines = readResults().flatMap(({ on }) => (on ? [on.replace(/, load.*/, '')] : []));
  const measuredOn = `Measured on: ${[...new Set(machines)].join('; ')}.`;
  return [table(), ...images, measuredOn].join('\n\n');
}
