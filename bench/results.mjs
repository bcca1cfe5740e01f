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
  const lines = readResults().map(({ row, value, unit, target, ok, peers = [], note, at }) => {
    const others = peers.map(
      (peer) => `${peer.name} ${peer.version}: ${figure(peer.value, peer.unit ?? unit)}`,
    );
    const comparison = [...others, ...(note ? [note] : [])].join('; ');
    const met = ok === null ? '' : ok ? 'yes' : '**no**';
    return `| ${row} | ${figure(value, unit)} | ${target} | ${met} | ${comparison} | ${at?.slice(0, 10) ?? ''} |`;
  });
  return ['| what | measured | must be | met | details | on |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Rows for readers of the docs, with descriptions. */
const HEADLINES = {
  form: 'Download size of a usable card form with an empty cache, compressed',
  warm: 'Click to form with `warm()`, relative to without it',
  frame: 'Click to form without `warm()`, relative to a bare `<iframe>`',
  start: 'Startup of the service on an empty database',
  memory: 'Memory of the service after startup',
  'fair-postgres': "20 due payments behind another biller's 2,000: the last one begins after",
  backlog: "A webhook behind 300,000 of another biller's, relative to none",
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

/** All results and the machines that they were measured on, for bench/README.md. */
export function details() {
  const machines = readResults().flatMap(({ on }) => (on ? [on.replace(/, load.*/, '')] : []));
  const measuredOn = `Measured on: ${[...new Set(machines)].join('; ')}.`;
  return `${table()}\n\n${measuredOn}`;
}
