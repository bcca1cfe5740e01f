// The table of docs/capacity.md, computed from bench/results.json.
import { ROWS } from '../bench/rows.mjs';
import { readResults } from '../bench/results.mjs';

const YEAR_S = 365 * 86_400;
/** The busiest second of a year relative to the average. */
const PEAK = 20;
/** Planned utilization of a core at the peak. */
const USED = 0.5;

/** @param {string} id */
const result = (id) => readResults().find(({ row }) => row === ROWS[id].row);
/** Returns the first number of a row's note, such as `5100 µs and 600 µs`, in ms. @param {string} id */
const costMs = (id) => Number(/^(\d+) µs/.exec(result(id)?.note ?? '')?.[1] ?? NaN) / 1000;

const rounded = (value) => Number(value.toPrecision(2)).toLocaleString('en');
const cores = (perSecond, ms) => (perSecond * ms) / 1000 / USED;

function row(payments) {
  const average = payments / YEAR_S;
  const peak = average * PEAK;
  const service = cores(peak, costMs('payment-postgres'));
  const database = cores(peak, costMs('payment-database'));
  const gigabytes = (payments * result('size').value) / 1e6;
  return `| ${payments.toLocaleString('en')} | ${rounded(average)} | ${rounded(peak)} | ${rounded(service)} | ${Math.max(2, Math.ceil(service) + 1)} | ${rounded(database)} | ${rounded(gigabytes)} GB |`;
}

export function capacityTable() {
  const service = costMs('payment-postgres').toFixed(1);
  const database = costMs('payment-database').toFixed(1);
  const disk = result('size').value.toFixed(1);
  return `A whole payment (create, page, pay, webhook, query) costs ${service} ms of CPU in the service and ${database} ms in PostgreSQL, and ${disk} kB of disk space, permanently.

| payments a year | a second, average | at the peak | cores of the service | processes | cores of PostgreSQL | disk a year |
|---|---|---|---|---|---|---|
${[1e6, 1e7, 1e8].map(row).join('\n')}`;
}
