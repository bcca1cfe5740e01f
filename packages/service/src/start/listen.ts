/** Forwards webhooks of a running service to a merchant's backend. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../core/error.js';
import { send } from '../webhooks/send.js';
import { eventsIn, type InspectorEvent, type SentWebhook, type WebhookLine } from '../shared/inspector.js';

export interface ListenOptions {
  /** The inspector's address as printed, with its token in the fragment. */
  readonly inspector: string;
  /** Address of the service that replaced one that stopped. Default: the same address. */
  readonly next?: () => string | undefined;
  readonly forwardTo: string;
  /** Receives one line per message. */
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Interval between attempts to reach a service that stopped, real ms. */
const RECONNECT_MS = 1_000;

/**
 * Forwards webhooks until `signal` aborts. After a restart of the service it forwards what it missed.
 * @throws ServiceError if the inspector cannot be reached at first, or refuses the token
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
        'The inspector refused this token: copy its address again. The token changes when the service starts on a new database.',
      );
    return response;
  };
  const get = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T;
  const forwardOne = async (id: string): Promise<void> => {
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
      `Nothing is listening at ${origin}: start the service first.`,
      {
        cause: error,
      },
    );
  });
  let last = past.at(-1)?.id ?? 0;
  /** Forwarded before the stream repeated their events. */
  const ahead = new Set<string>();
  const known = new Set((await get<WebhookLine[]>('/webhooks')).map(({ id }) => id));
  print(`Forwarding webhooks of ${origin} to ${forwardTo}`);
  for (let isLost = false; ;) {
    try {
      const stream = await ask('/events?kind=webhook', {
        accept: 'text/event-stream',
        'last-event-id': String(last),
      });
      if (isLost) print(`Reconnected to ${origin}`);
      isLost = false;
      for await (const message of eventsIn(stream.body!.pipeThrough(new TextDecoderStream()))) {
        if (message === 'caught-up') continue;
        if (message === 'missing') {
          // The stream dropped old events; the messages are still in the database.
          const unknown = (await get<WebhookLine[]>('/webhooks')).filter(({ id }) => !known.has(id));
          for (const { id } of unknown.toReversed()) {
            await forwardOne(id);
            known.add(id);
            ahead.add(id);
          }
          last = 0;
          continue;
        }
        const { id, isDue, webhookId } = message;
        if (isDue !== undefined && webhookId !== undefined && !ahead.delete(webhookId)) {
          await forwardOne(webhookId);
          known.add(webhookId);
        }
        // Only now: if the connection breaks earlier, the stream repeats the event.
        last = id;
      }
    } catch (error) {
      // A new service may already be running; `next` finds its token.
      if ((error instanceof ServiceError && !next) || signal?.aborted) throw error;
    }
    if (!isLost) print(`Lost the connection to ${origin}; reconnecting`);
    isLost = true;
    await delay(RECONNECT_MS, undefined, signal === undefined ? {} : { signal });
    ({ origin, hash } = new URL(next?.() ?? `${origin}/${hash}`));
  }
}

/** Sends it as the service would: same time limit, no redirects. */
async function forward(
  url: string,
  { headers, body }: SentWebhook,
  signal: AbortSignal | undefined,
): Promise<string> {
  const delivery = await send({ url, headers, body, publicOnly: false, ...(signal ? { signal } : {}) });
  return delivery.type === 'answered' ? String(delivery.status) : delivery.reason;
}
