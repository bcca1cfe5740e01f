/** Reads the bodies of the control API and the inspector. */
import type { Context } from 'hono';
import { defined } from '../core/defined.js';
import type { FaultRequest } from '../platform/faults.js';
import { ServiceError } from '../core/error.js';
import { MAX_BODY_BYTES, readBytes } from '../platform/http/body.js';

type Kind = FaultRequest['kind'];

const KINDS: Readonly<
  Record<Kind, (given: Record<string, unknown>) => Partial<FaultRequest> | { problem: string }>
> = {
  latency: ({ ms }) =>
    isCount(ms, 0, 600_000) ? { ms } : { problem: 'latency needs ms, from 0 to 600000.' },
  status: ({ status }) =>
    isCount(status, 400, 599) ? { status } : { problem: 'status needs status, from 400 to 599.' },
  'drop-before-commit': () => ({}),
  'drop-after-commit': () => ({}),
};

export function parseFault(given: Record<string, unknown>): FaultRequest | { problem: string } {
  const { kind, times = 1, path } = given;
  if (!isKind(kind)) return { problem: `kind must be one of ${Object.keys(KINDS).join(', ')}.` };
  if (!isCount(times, 1, 1_000_000)) return { problem: 'times must be a whole number, at least 1.' };
  if (path !== undefined && (typeof path !== 'string' || !path.startsWith('/'))) {
    return { problem: 'path must begin with "/"; "*" stands for one segment.' };
  }
  const more = KINDS[kind](given);
  return 'problem' in more ? more : defined({ kind, times, path, ...more });
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}

function isCount(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_MS = 10 * 366 * 86_400_000;

/** Parses `31m`, `1h30m` or `2d` to ms. Returns null for anything else and for more than ten years. */
export function parseDuration(value: unknown): number | null {
  if (typeof value !== 'string' || !/^(\d{1,12}(\.\d{1,3})?(ms|s|m|h|d))+$/.test(value)) return null;

  const total = [...value.matchAll(/([\d.]+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
  return total <= MAX_MS ? Math.round(total) : null;
}

/** The requested clock move, ms, or why it is refused. */
export function parseMove(
  { advance, to, reset }: Record<string, unknown>,
  clock: { now(): number; readonly offset: number },
): number | string {
  if (reset === true) return -clock.offset;

  const ms = typeof to === 'string' ? Date.parse(to) - clock.now() : parseDuration(advance);
  if (ms === null || Number.isNaN(ms))
    return 'Send advance ("31m": numbers with ms, s, m, h or d), to (a future instant) or reset.';
  return ms < 0
    ? 'That is before the service’s time, which only moves forward. Use reset to return to real time.'
    : ms;
}

/** The fields of a JSON object; empty for any other body. @throws ServiceError `body_too_large` */
export async function readFields(c: Context): Promise<Record<string, unknown>> {
  try {
    const bytes = await readBytes(c.req.raw, MAX_BODY_BYTES);
    return Object(JSON.parse(new TextDecoder().decode(bytes)) as unknown) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'body_too_large') throw error;
    return {};
  }
}
