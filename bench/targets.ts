/** Servers whose CPU time is measured while sessions are created: the service and its peers. */
import { setTimeout as delay } from 'node:timers/promises';
import { BUSINESS_UNIT } from '../e2e/harness/index.js';
import { cpuMs, treeCpuMs } from './measure.js';

export const REQUESTS: number = Number(process.env['BENCH_REQUESTS'] ?? 2_000);
export const settings = { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } };
const AT_ONCE = 16;

export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  /** Process id of the database server, whose CPU time is included. */
  readonly server?: number;
}

let payers = 0;

/** Retries once if the server has just closed an idle connection: the other servers keep them for 5 s. */
const again: typeof fetch = (url, init) => fetch(url, init).catch(() => fetch(url, init));

async function create({ url, apiKey }: Target): Promise<void> {
  // Use different accounts, because two payers that change the same row would wait for each other in any database.
  const payer = ++payers % 500;
  const response = await again(`${url}/integrations/embedded/initiate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey },
    body: JSON.stringify({
      BusinessUnitSlug: BUSINESS_UNIT,
      Channel: 'QuickPay',
      Charges: [
        {
          Amount: 8412,
          Description: 'Water',
          ClientAccount: { AccountNumber: `100-${payer}-0`, Name: 'Dana Reyes' },
        },
      ],
      ClientUser: { EmailAddress: `payer-${payer}@example.com`, FirstName: 'Dana', LastName: 'Reyes' },
    }),
  });
  const body = (await response.json()) as { hasErrors?: boolean };
  if (body.hasErrors !== false) throw new Error(`${response.status} ${JSON.stringify(body)}`);
}

export interface Load {
  readonly requests?: number;
  /** Default: creates a session. */
  readonly ask?: (target: Target) => Promise<void>;
}

/** Requests the next hundred payments after an instant. */
export const pageOf =
  (from: string) =>
  async ({ url, apiKey }: Target): Promise<void> => {
    const response = await fetch(`${url}/integrations/payments/list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey },
      body: JSON.stringify({ BusinessUnitSlug: BUSINESS_UNIT, From: from, Status: 'succeeded' }),
    });
    const { data } = (await response.json()) as { data: { Payments: unknown[] } | null };
    if (data?.Payments.length !== 100) throw new Error(`${response.status}: no page of a hundred`);
  };

/** CPU µs per request, summed over all targets, minus what their jobs use when idle. */
export async function costOf(
  targets: readonly Target[],
  { requests = REQUESTS, ask = create }: Load = {},
): Promise<number> {
  const used = (): number =>
    targets.reduce(
      (sum, { pid, server }) => sum + cpuMs(pid) + (server === undefined ? 0 : treeCpuMs(server)),
      0,
    );
  const idleMs = 1_000;
  const atRest = used();
  await delay(idleMs);
  const idleShare = (used() - atRest) / idleMs;
  const started = performance.now();
  const before = used();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests) {
      const turn = sent++;
      await ask(targets[turn % targets.length] as Target);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const ms = performance.now() - started;
  return ((used() - before - idleShare * ms) * 1000) / requests;
}
