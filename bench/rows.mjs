// All rows of the table in order: what is measured, its unit and its target.

/**
 * @typedef {object} Row
 * @property {string} row
 * @property {string} unit
 * @property {number} [most] Upper limit.
 * @property {number} [least] Lower limit.
 * @property {string} group The `pnpm bench GROUP` that measures it.
 */

/** @satisfies {Readonly<Record<string, Row>>} */
export const ROWS = {
  form: {
    group: 'bytes',
    row: 'From nothing to a payment form that takes a card: loader, SDK, page, style, catalog, in the language that needs most',
    unit: 'kB',
    most: 36,
  },
  loader: { group: 'bytes', row: 'loader, full entry', unit: 'kB', most: 5.4 },
  script: { group: 'bytes', row: 'loader, script tag', unit: 'kB', most: 7.5 },
  react: { group: 'bytes', row: 'react, without the loader', unit: 'kB', most: 2.75 },
  server: { group: 'bytes', row: 'server, with server-types', unit: 'kB', most: 6.8 },
  sdk: { group: 'bytes', row: 'SDK script', unit: 'kB', most: 6 },
  warm: {
    group: 'warm',
    row: 'Click to form that takes a card, 50 ms away: after `warm()` against without it',
    unit: '×',
    most: 0.7,
  },
  frame: {
    group: 'warm',
    row: 'The same without `warm()` against a bare `<iframe>` of the same page',
    unit: '×',
    most: 1.1,
  },
  phone: {
    group: 'phone',
    row: 'From navigation to a form that takes a card on a mid-range phone (CPU ÷ 4, 1.6 Mbit/s, 150 ms), nothing cached: against a bare `<iframe>` of the same page',
    unit: '×',
  },
  hono: {
    group: 'create',
    row: 'Create a payment session, CPU per request: against Hono with the same validation and a constant answer',
    unit: '×',
    most: 2.2,
  },
  prism: {
    group: 'create',
    row: 'The same against Prism mocking the same contract, its log off',
    unit: '×',
    most: 0.9,
  },
  payment: {
    group: 'payment',
    row: 'A whole payment (create, page read, pay, webhook, query), CPU: against `node:http` answering constants',
    unit: '×',
    most: 3,
  },
  'payment-postgres': { group: 'payment', row: 'The same on PostgreSQL, the service', unit: '×', most: 5 },
  'payment-database': {
    group: 'payment',
    row: 'The same on PostgreSQL, the database server',
    unit: '×',
    most: 4,
  },
  charge: {
    group: 'operations',
    row: 'An AutoPay charge and its webhook, CPU: against `node:http` answering constants',
    unit: '×',
    most: 3,
  },
  refund: {
    group: 'operations',
    row: 'A refund and its webhook, the same',
    unit: '×',
    most: 3,
  },
  list: {
    group: 'operations',
    row: 'A page of 100 payments, against a constant one',
    unit: '×',
  },
  scheduled: {
    group: 'operations',
    row: 'A scheduled charge that is due, and its webhook: against one request and one webhook',
    unit: '×',
    most: 3,
  },
  settle: {
    group: 'operations',
    row: 'A lookup that settles a bank payment, and its webhook: against one request and one webhook',
    unit: '×',
    most: 3,
  },
  call: {
    group: 'client',
    row: "A call of the server client, CPU of the caller: against the cheapest of the peers' clients",
    unit: '×',
    most: 1.2,
  },
  callers: {
    group: 'disk',
    row: 'Syncs of the disk that take 20 ms, embedded: creates a second of 32 callers at once against one',
    unit: '×',
    least: 8,
  },
  syncs: { group: 'disk', row: 'The same: syncs a create', unit: '', most: 0.2 },
  healthz: { group: 'disk', row: 'The same: `/healthz` meanwhile, p50', unit: 'ms', most: 10 },
  'fair-sqlite': {
    group: 'fair',
    row: "20 due payments behind another business unit's 2,000, the processor takes 1 s, embedded: the last one begins after",
    unit: 's',
    most: 5,
  },
  'fair-postgres': { group: 'fair', row: 'The same on PostgreSQL', unit: 's', most: 5 },
  first: {
    group: 'first',
    row: 'Charges a second of 2,000,000 due payments of 1,000 business units, PostgreSQL, the processor takes 1 s: against 20,000',
    unit: '×',
    least: 0.85,
  },
  size: {
    group: 'size',
    row: 'A paid session, its ledger and its share of a customer and an account, years later, on PostgreSQL',
    unit: 'kB',
    most: 2.4,
  },
  night: {
    group: 'night',
    row: 'A night of payments and jobs in an hour, on PostgreSQL, CPU of a payment: the last third against the first',
    unit: '×',
    most: 1.1,
  },
  start: { group: 'start', row: 'Start on an empty embedded database, to ready', unit: 'ms', most: 300 },
  memory: { group: 'start', row: 'The same: resident memory', unit: 'MB', most: 100 },
  backlog: {
    group: 'backlog',
    row: 'A webhook behind 300,000 of another business unit, PostgreSQL: p50 against none',
    unit: '×',
    most: 1.5,
  },
};

/** @returns {string} */
export const targetOf = ({ most, least }) =>
  most !== undefined ? `≤ ${most}` : least !== undefined ? `≥ ${least}` : '';

/** @returns {boolean | null} null without a target or a measurement */
export const isMet = ({ most, least }, value) => {
  if (value === null || (most === undefined && least === undefined)) return null;
  return most === undefined ? value >= least : value <= most;
};
