/** Records each request, its response and its changes (R-90). */
import { msSince } from '../../platform/timeouts.js';
import { getPath } from 'hono/utils/url';
import { API_KEY_HEADER } from '@embedded-sessions/server-types';
import { defined } from '../../core/defined.js';
import { currentContext } from '../../platform/context.js';
import type { JsonBody } from '../../platform/http/body.js';
import type { Change, Json, RequestRecord } from '../../shared/inspector.js';
import type { Journal, RecordedRequest } from './journal.js';

export interface RequestWatch {
  /** Records a request of the API or the pages while it is answered. */
  request(request: Request, id: string, answer: () => Promise<Response>): Promise<Response>;
  /** Records the current API request's body. Bodies of page requests contain what the payer typed. */
  received(body: JsonBody): void;
}

const PAGES = /^\/s\/([^/]+)\/api\//;
const API = /^\/integrations\//;
/** Longer bodies and responses aren't shown (R-91). */
const MAX_BYTES = 16 * 1024;

export function watchRequests(journal: Journal, clock: { now(): number }): RequestWatch {
  const { redact } = journal;
  return {
    request: async (request, id, answer) => {
      const pathname = getPath(request);
      if (!PAGES.test(pathname) && !API.test(pathname)) return answer();

      const started = performance.now();
      const key = request.headers.get('idempotency-key');
      const record: RecordedRequest = {
        id,
        at: new Date().toISOString(),
        clock: new Date(clock.now()).toISOString(),
        method: request.method,
        path: redact.text(pathname),
        codes: [],
        changes: [],
        ...defined({ idempotencyKey: key === null ? undefined : redact.text(key) }),
      };
      journal.record(record);
      try {
        const response = await answer();
        record.status = response.status;
        if (API.test(pathname))
          Object.assign(record, defined({ answer: await shownAnswer(response, journal) }));
        return response;
      } finally {
        record.ms = msSince(started);
        const { codes = [], businessUnit, sessionId } = currentContext().log;
        Object.assign(record, defined({ codes: [...codes], businessUnit, sessionId }));
        addRequest(journal, record);
      }
    },
    received: ({ bytes, value }) => {
      const record = journal.current();
      if (record && bytes.length <= MAX_BYTES) record.body = JSON.stringify(redact.body(value));
    },
  };
}

async function shownAnswer(response: Response, { redact }: Journal): Promise<string | undefined> {
  const text = await response.clone().text();
  // A dropped connection has no body.
  return text === '' || text.length > MAX_BYTES ? undefined : JSON.stringify(redact.body(JSON.parse(text)));
}

function addRequest(journal: Journal, { method, path, status, codes, ...record }: RecordedRequest): void {
  const { sessionId, businessUnit } = record;
  const shown = path.replace(PAGES, 'page: ');
  journal.add({
    kind: shown === path ? 'request' : 'page',
    level: status === undefined || status >= 400 ? 'error' : 'info',
    title: [method, shown, '→', status ?? 'no answer', codes.join(', ')].join(' ').trim(),
    ...defined({ sessionId, businessUnit }),
  });
}

export function recordOf(recorded: RecordedRequest, publicUrl: string): RequestRecord {
  const { body, answer, ...record } = recorded;
  return {
    ...record,
    changes: changesOf(recorded),
    ...(answer === undefined ? {} : { answer: parse(answer) }),
    ...(body === undefined ? {} : { body: parse(body), curl: curl(publicUrl + record.path, parse(body)) }),
  };
}

export function changesOf({ changes }: RecordedRequest): Change[] {
  return changes.flatMap((text) => JSON.parse(text) as Change[]);
}

const parse = (text: string): Json => JSON.parse(text) as Json;

/** A curl command with values quoted for the shell and the key as a shell variable. */
function curl(url: string, body: Json): string {
  return [
    `curl -X POST ${quoted(url)}`,
    `  -H 'content-type: application/json'`,
    `  -H "${API_KEY_HEADER}: $SERVICE_API_KEY"`,
    `  --data-raw ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
