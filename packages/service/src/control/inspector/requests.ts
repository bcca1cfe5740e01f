/** Records each request, its response and its changes, and how to send it again (R-90). */
import { msSince } from '../../platform/timeouts.js';
import { setTimeout as delay } from 'node:timers/promises';
import { getPath } from 'hono/utils/url';
import { API_KEY_HEADER } from '@embedded-sessions/server-types';
import { defined } from '../../core/defined.js';
import { currentContext } from '../../platform/context.js';
import { LARGE_BYTES, MAX_BODY_BYTES } from '../../platform/http/body.js';
import type { RequestRecord } from '../../shared/inspector.js';
import type { Journal, RecordedRequest } from './journal.js';

export type WatchRequest = (
  request: Request,
  id: string,
  answer: () => Promise<Response>,
) => Promise<Response>;

const PAGES = /^\/s\/([^/]+)\/api\//;
/** A session's page, or the script that opens it. */
const OPENED = /^\/(?:s\/([^/]+)|app\/embedded\.loader\.js)$/;
const API = /^\/integrations\//;
/** Time to wait for the rest of a body that the service didn't read, real ms. */
const BODY_WAIT_MS = 200;

export function watchRequests(journal: Journal, clock: { now(): number }): WatchRequest {
  const { withoutNumbers } = journal.redact;
  return async (request, id, answer) => {
    const pathname = getPath(request);
    const opened = OPENED.exec(pathname);
    if (opened) return watchOpening(journal, withoutNumbers(opened[1] ?? ''), answer);

    const page = PAGES.exec(pathname);
    if (!page && !API.test(pathname)) return answer();

    const started = performance.now();
    // Bodies of page requests contain what the payer typed.
    const sentBody = request.body && !page ? readBody(request.clone()) : Promise.resolve(null);
    const key = request.headers.get('idempotency-key');
    const record: RecordedRequest = {
      id,
      at: new Date().toISOString(),
      clock: new Date(clock.now()).toISOString(),
      method: request.method,
      path: withoutNumbers(pathname),
      codes: [],
      changes: [],
      ...defined({
        sessionId: page?.[1] && withoutNumbers(page[1]),
        idempotencyKey: key === null ? undefined : withoutNumbers(key),
      }),
    };
    return journal.during(record, async () => {
      let response: Response | null = null;
      try {
        response = await answer();
        return response;
      } finally {
        record.ms = msSince(started);
        if (response) record.status = response.status;
        const sent = await Promise.race([sentBody, delay(BODY_WAIT_MS, null, { ref: false })]);
        if (sent) recordRequest(journal, record, request, sent);
        await recordResponse(journal, record, response);
        addRequest(journal, record);
      }
    });
  };
}

async function watchOpening(
  journal: Journal,
  session: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  const response = await answer();
  const { status } = response;
  const level = status >= 400 ? 'error' : 'info';
  const title = `${session === '' ? 'SDK loaded' : 'Page opened'} → ${status}`;
  journal.add(defined({ kind: 'page', level, title, sessionId: session || undefined }));
  return response;
}

function recordRequest(
  { redact }: Journal,
  record: RecordedRequest,
  { headers }: Request,
  sent: Buffer,
): void {
  // Like the service, don't parse a large body unless its sender has a valid key (R-91).
  const isKnown = currentContext().log.keyId !== undefined;
  const body = sent.length <= LARGE_BYTES || isKnown ? parseObject(sent) : null;
  if (body === null) return;

  record.bytes = sent.length;
  const { value, json } = body;
  const slug = value['BusinessUnitSlug'] ?? value['businessUnitSlug'];
  // Longer texts aren't slugs, and redacting them takes time (R-91).
  if (typeof slug === 'string' && slug.length <= MAX_SLUG) record.businessUnit = redact.withoutNumbers(slug);
  record.body = redact.body(value);
  const isWhole =
    JSON.stringify(record.body) === JSON.stringify(value) &&
    (headers.get('idempotency-key') ?? undefined) === record.idempotencyKey;
  if (isWhole) record.original = { body: json, apiKey: headers.get(API_KEY_HEADER) };
}

async function recordResponse(
  { redact }: Journal,
  record: RecordedRequest,
  response: Response | null,
): Promise<void> {
  const bytes = response && (await readBody(response.clone()));
  const answered = (bytes && parseObject(bytes)?.value) ?? null;
  if (answered && API.test(record.path)) {
    record.bytes = (record.bytes ?? 0) + (bytes?.length ?? 0);
    record.answer = redact.body(answered);
  }
  record.codes = codesOf(answered).map(redact.text);
  const data = answered?.['data'] as Record<string, unknown> | null | undefined;
  const made = data?.['PaymentSessionIdentifier'];
  if (typeof made === 'string') record.sessionId ??= redact.text(made);
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

const MAX_SLUG = 100;

/** Deeper than anything the service accepts. */
const MAX_DEPTH = 100;

/** Check this before recursing into a value. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** Resolves to null if the body is too long or ends early. */
async function readBody(message: Request | Response): Promise<Buffer | null> {
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    // Read to the end even if the body is too long: canceling one clone waits until the other is canceled too.
    for await (const chunk of message.body ?? []) {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    }
    return length > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
  } catch {
    return null;
  }
}

/** Parses a JSON object. Returns null for anything else, and if it is nested too deeply. */
function parseObject(bytes: Buffer): { value: Record<string, unknown>; json: string } | null {
  try {
    const json = bytes.toString();
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !isDeeper(value, MAX_DEPTH)
      ? { value: value as Record<string, unknown>, json }
      : null;
  } catch {
    return null;
  }
}

function codesOf(answered: Record<string, unknown> | null): string[] {
  const errors = answered?.['errors'];
  if (!Array.isArray(errors)) return [];
  return [...new Set(errors.map((error: { code?: unknown }) => String(error?.code)))];
}

export function recordOf(recorded: RecordedRequest, publicUrl: string): RequestRecord {
  const { original, bytes: _, ...record } = recorded;
  const { path, body, idempotencyKey: key } = record;
  if (!API.test(path) || body === undefined) return { ...record, resendable: false };

  // An idempotency key is only valid with the same bytes. Other bytes may contain a repeated key with a secret.
  const compact = JSON.stringify(body);
  const sent = original?.body === compact ? compact : JSON.stringify(body, null, 2);
  const headers = [
    'content-type: application/json',
    ...(key === undefined ? [] : [`idempotency-key: ${key}`]),
  ];
  return {
    ...record,
    resendable: original !== undefined,
    curl: curl(publicUrl + path, headers, sent),
  };
}

/** A curl command with values quoted for the shell and the key as a shell variable. */
function curl(url: string, headers: readonly string[], body: string): string {
  const lines = [...headers.map(quoted), `"${API_KEY_HEADER}: $SERVICE_API_KEY"`];
  const options = lines.map((header) => `  -H ${header} \\\n`).join('');
  return `curl -X POST ${quoted(url)} \\\n${options}  --data-raw ${quoted(body)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
