/** Calls the API with the inspector's own key, and pays as a payer. */
import { API_KEY_HEADER, EVENTS_ENDPOINT } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { defined } from '../../core/defined.js';
import type { Deps } from '../../deps.js';
import { TEST_ACCOUNTS, TEST_CARDS } from '../../processor/test-processor.js';
import type { ServiceEnvironment } from '../../shared/environment.js';
import type { Form, Sent, TestSource } from '../../shared/inspector.js';
import { ConnectionDropped, type Faults } from '../../platform/faults.js';
import type { Control } from '../control.js';
import { payAsPage, type Fetch } from '../pay.js';
import type { Journal } from './journal.js';

export interface InspectorParts {
  readonly deps: Deps;
  readonly control: Control;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly fetch: Fetch;
  /** The inspector's own. */
  readonly apiKey: string;
  readonly token: string;
}

export async function callApi(
  { deps, fetch, apiKey, journal: { redact } }: InspectorParts,
  path: string,
  body: unknown,
): Promise<Sent> {
  const headers = { 'content-type': 'application/json', [API_KEY_HEADER]: apiKey };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return unlessDropped(async () => {
    const response = await fetch(new Request(deps.publicUrl + path, init));
    const { status } = response;
    const answer = (await response.json().catch(() => null)) as Envelope | null;
    const message = answer?.errors?.map(({ message }) => message).join(' ') ?? '';
    return defined({
      ok: status === 200,
      status,
      answer: redact.body(answer),
      message: redact.text(message) || undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
      sessionId: answer?.data?.PaymentSessionIdentifier,
    });
  });
}

interface Envelope {
  readonly errors?: readonly { readonly message: string }[];
  readonly data?: { readonly PaymentSessionIdentifier?: string } | null;
}

/** @param source number of a test card or bank account, or its last four digits */
export function payAs(
  { deps, fetch, journal: { redact } }: InspectorParts,
  sessionId: string,
  source: string,
): Promise<Sent> {
  const known = NUMBERS.find((number) => number.endsWith(source));
  return unlessDropped(async () => {
    const { status, answer } = await payAsPage(deps, fetch, sessionId, known ?? source);
    const message = answer.ok ? `The payment is ${answer.data.status}.` : (answer.errors[0]?.message ?? '');
    return { ok: answer.ok, status, message: redact.text(message) };
  });
}

/** A fault may drop the connection. */
async function unlessDropped(send: () => Promise<Sent>): Promise<Sent> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ConnectionDropped)) throw error;
    return { ok: false, status: 0, message: 'No response: the connection was dropped.' };
  }
}

const NUMBERS = [...Object.keys(TEST_CARDS), ...Object.keys(TEST_ACCOUNTS)];

export const TEST_SOURCES: readonly TestSource[] = [
  ...Object.entries(TEST_CARDS).map(([number, does]) => testSource('Card', number, does)),
  ...Object.entries(TEST_ACCOUNTS).map(([number, does]) => testSource('Bank', number, does)),
];

function testSource(kind: TestSource['kind'], number: string, does: string): TestSource {
  return { kind, last4: number.slice(-4), does: does.replace(/^(card|bank)-/, '').replaceAll('-', ' ') };
}

export function formsOf(env: ServiceEnvironment): Form[] {
  return Object.entries(openapi().paths).flatMap(([path, item]): Form[] => {
    const operation = (item as { post?: Operation }).post;
    const content = operation?.requestBody?.content['application/json'];
    // In development the service only has the Events API.
    if (!operation || !content || (env === 'development' && path !== EVENTS_ENDPOINT)) return [];

    return [{ path, title: operation.summary ?? path, example: content.example }];
  });
}

interface Operation {
  summary?: string;
  requestBody?: { content: Record<string, Pick<Form, 'example'>> };
}
