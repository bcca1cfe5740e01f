/** Webhooks of a running service, carried to a merchant's backend as they are sent. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../core/error.js';
import { send } from '../webhooks/send.js';
import { eventsIn, type InspectorEvent, type SentWebhook, type WebhookLine } from '../shared/inspector.js';

export interface ListenOptions {
  /** The inspector's address as it was printed, its token in the fragment. */
  readonly inspector: string;
  /** The address of the service that took the place of the one that went away; default: the same one. */
  readonly next?: () => string | undefined;
  readonly forwardTo: string;
  /** Told of each message in one line. */
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Real ms between two tries to reach a service that went away. */
const AGAIN_MS = 1_000;

/**
 * Goes on when the service is started again, until `signal` says so: what was to be sent meanwhile is carried then.
 * @throws ServiceError where the inspector is not there at first, or does not know the token
 */
export async function listen({ inspector, next, forwardTo, print, signal }: ListenOptions): Promise<void> {
  let { origin, hash } = new URL(inspector);
  const ask = async (path: string, more: Record<string, string> = {}, method = 'GET'): Promise<Response> => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${hash.slice(1)}`, ...more },
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status === 401)
      throw new ServiceError(
        'invalid_arguments',
        'The inspector does not know this token: copy its address again. It stays the same where the service keeps its database.',
      );
    return response;
  };
  const get = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T;
  const carry = async (id: string): Promise<void> => {
    const response = await ask(`/webhooks/${id}/sent`, {}, 'POST');
    if (!response.ok) return;
    const sent = (await response.json()) as SentWebhook;
    const { type } = JSON.parse(sent.body) as { type: string };
    print(`${type} ${id} → ${await forward(forwardTo, sent, signal)}`);
  };

  const past = await get<InspectorEvent[]>('/events?kind=webhook').catch((error: unknown) => {
    if (error instanceof ServiceError || signal?.aborted) throw error;
    throw new ServiceError(
      'invalid_arguments',
      `Nothing answers at ${origin}: start the service, then listen.`,
      { cause: error },
    );
  });
  let last = past.at(-1)?.id ?? 0;
  /** Carried before their events were told again. */
  const ahead = new Set<string>();
  const known = new Set((await get<WebhookLine[]>('/webhooks')).map(({ id }) => id));
  print(`Webhooks of ${origin} go to ${forwardTo}`);
  for (let isLost = false; ;) {
    try {
      const stream = await ask('/events?kind=webhook', {
        accept: 'text/event-stream',
        'last-event-id': String(last),
      });
      if (isLost) print(`${origin} is there again`);
      isLost = false;
      for await (const message of eventsIn(stream.body!.pipeThrough(new TextDecoderStream()))) {
        if (message === 'told') continue;
        if (message === 'missing') {
          // Their events are gone, they themselves are in the database.
          const unknown = (await get<WebhookLine[]>('/webhooks')).filter(({ id }) => !known.has(id));
          for (const { id } of unknown.toReversed()) {
            await carry(id);
            known.add(id);
            ahead.add(id);
          }
          last = 0;
          continue;
        }
        const { id, isDue, webhookId } = message;
        if (isDue !== undefined && webhookId !== undefined && !ahead.delete(webhookId)) {
          await carry(webhookId);
          known.add(webhookId);
        }
        // Where the connection broke before it was carried, it is told again.
        last = id;
      }
    } catch (error) {
      // Another service may be there already, whose token is about to be found.
      if ((error instanceof ServiceError && !next) || signal?.aborted) throw error;
    }
    if (!isLost) print(`${origin} went away: waiting for it`);
    isLost = true;
    await delay(AGAIN_MS, undefined, signal === undefined ? {} : { signal });
    ({ origin, hash } = new URL(next?.() ?? `${origin}/${hash}`));
  }
}

/** As the service sends one itself: within the same time, and no redirect is followed. */
async function forward(
  url: string,
  { headers, body }: SentWebhook,
  signal: AbortSignal | undefined,
): Promise<string> {
  const delivery = await send({ url, headers, body, publicOnly: false, ...(signal ? { signal } : {}) });
  return delivery.type === 'answered' ? String(delivery.status) : delivery.reason;
}
