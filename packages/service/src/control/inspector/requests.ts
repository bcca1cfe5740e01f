/** Keeps what each request asked, answered and changed, and sends it again (R-90). */
import {
  BACK_OFFICE_ENDPOINTS,
  FLOWS,
  type BackOfficeCall,
  type Flow,
} from '@embedded-sessions/server-types';
import type { RequestRecord } from '../../shared/inspector.js';
import { allowed } from './allowed.js';
import type { Journal, Kept } from './journal.js';

/** Runs a request as one that is watched; `answer` runs it. */
export type WatchRequest = (
  request: Request,
  id: string,
  answer: () => Promise<Response>,
) => Promise<Response>;

const PAGES = /^\/s\/([^/]+)\/api\//;
const API = /^\/integrations\//;

export function watchRequests(journal: Journal, clock: { now(): number }): WatchRequest {
  return async (request, id, answer) => {
    const { pathname } = new URL(request.url);
    const page = PAGES.exec(pathname);
    if (!page && !API.test(pathname)) return answer();
    const started = performance.now();
    const body = await read(request.clone());
    const slug = body?.['BusinessUnitSlug'] ?? body?.['businessUnitSlug'];
    const idempotencyKey = request.headers.get('idempotency-key');
    const kept: Kept = {
      id,
      at: new Date().toISOString(),
      clock: new Date(clock.now()).toISOString(),
      method: request.method,
      path: pathname,
      codes: [],
      changes: [],
      ...(typeof slug === 'string' ? { businessUnit: slug } : {}),
      ...(page?.[1] === undefined ? {} : { sessionId: page[1] }),
      ...(idempotencyKey === null ? {} : { idempotencyKey }),
      ...(body === null ? {} : { body: allowed(body) }),
    };
    return journal.during(kept, async () => {
      const done = (response: Response | null, answered: Record<string, unknown> | null): void => {
        kept.ms = Math.round((performance.now() - started) * 10) / 10;
        if (response) kept.status = response.status;
        if (answered) kept.answer = allowed(answered);
        kept.codes = codesOf(answered);
        const made = (answered?.['data'] as Record<string, unknown> | null | undefined)?.[
          'PaymentSessionIdentifier'
        ];
        if (typeof made === 'string') kept.sessionId ??= made;
        const { sessionId, businessUnit } = kept;
        journal.add({
          kind: page ? 'page' : 'request',
          level: kept.status === undefined || kept.status >= 400 ? 'error' : 'info',
          title: `${kept.method} ${page ? pathname.replace(/^\/s\/[^/]+\/api\//, 'page: ') : pathname} → ${kept.status ?? 'no answer'}${kept.codes.length > 0 ? ` ${kept.codes.join(', ')}` : ''}`,
          ...(sessionId === undefined ? {} : { sessionId }),
          ...(businessUnit === undefined ? {} : { businessUnit }),
        });
      };
      try {
        const response = await answer();
        done(response, await read(response.clone()));
        return response;
      } catch (error) {
        done(null, null);
        throw error;
      }
    });
  };
}

async function read(message: Request | Response): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await message.text());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function codesOf(answered: Record<string, unknown> | null): string[] {
  const errors = answered?.['errors'];
  if (!Array.isArray(errors)) return [];
  return [...new Set(errors.map((error: { code?: unknown }) => String(error?.code)))];
}

/** @param base of the API, for what is copied */
export function recordOf(kept: Kept, base: string): RequestRecord {
  if (!API.test(kept.path) || kept.body === undefined) return { ...kept, resendable: false };
  const body = JSON.stringify(kept.body, null, 2);
  const method = methodOf(kept.path);
  const key = kept.idempotencyKey === undefined ? '' : ` \\\n  -H 'idempotency-key: ${kept.idempotencyKey}'`;
  return {
    ...kept,
    resendable: true,
    curl: `curl -X POST '${base}${kept.path}' \\\n  -H 'content-type: application/json' \\\n  -H "x-service-api-key: $SERVICE_API_KEY"${key} \\\n  -d '${body.replaceAll("'", `'\\''`)}'`,
    ...(method === null ? {} : { typescript: `const answer = await client.${method}(${body});` }),
  };
}

/** The client's method of each flow's endpoint, and of the back office's calls. */
const METHODS: Readonly<Record<Flow, string>> & Readonly<Record<BackOfficeCall, string>> = {
  payment: 'payments.create',
  autopay: 'autopay.create',
  wallet: 'wallet.create',
  paperless: 'paperless.create',
  'schedule-payment': 'schedulePayment.create',
  'scheduled-payments': 'scheduledPayments.create',
  notifications: 'notifications.create',
  refund: 'payments.refund',
  list: 'payments.list',
  cancel: 'sessions.cancel',
  charge: 'autopay.charge',
};

/** Null where the client's method takes something else than the body. */
function methodOf(path: string): string | null {
  const flow = (Object.keys(FLOWS) as Flow[]).find((flow) => FLOWS[flow].endpoint === path);
  if (flow) return METHODS[flow];
  const calls = Object.keys(BACK_OFFICE_ENDPOINTS) as BackOfficeCall[];
  const call = calls.find((call) => BACK_OFFICE_ENDPOINTS[call] === path);
  return call && call !== 'cancel' ? METHODS[call] : null;
}
