/** Forwards a running service's webhooks to a merchant's backend. */
import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '../core/defined.js';
import { ServiceError } from '../core/error.js';
import { send } from '../webhooks/send.js';
import type { InspectorEvent, SentWebhook } from '../shared/inspector.js';

export interface ListenOptions {
  /** The inspector's address, with its token in the fragment. */
  readonly inspector: string;
  /** Finds the address of a restarted service. Default: the same address. */
  readonly next?: () => string | undefined;
  readonly forwardTo: string;
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

const POLL_MS = 300;

/**
 * Forwards webhooks until `signal` aborts. Ids of events grow even across restarts of the service.
 * @throws ServiceError if the inspector cannot be reached at first, or refuses the token
 */
export async function listen({ inspector, next, forwardTo, print, signal }: ListenOptions): Promise<void> {
  let { origin, hash } = new URL(inspector);
  const request = async (path: string, method = 'GET'): Promise<Response> => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${hash.slice(1)}` },
      ...defined({ signal }),
    });
    if (response.status === 401)
      throw new ServiceError(
        'invalid_arguments',
        'The inspector refused this token: copy its address again. The token changes when the service starts on a new database.',
      );
    return response;
  };
  const get = async <T>(path: string): Promise<T> => (await (await request(path)).json()) as T;
  const forwardOne = async (id: string): Promise<void> => {
    const response = await request(`/webhooks/${id}/sent`, 'POST');
    if (!response.ok) return;
    const sent = (await response.json()) as SentWebhook;
    const { type } = JSON.parse(sent.body) as { type: string };
    print(`${type} ${id} → ${await forward(forwardTo, sent, signal)}`);
  };

  const eventsAfter = (id: number): Promise<InspectorEvent[]> => get(`/events?kind=webhook&after=${id}`);

  const past = await eventsAfter(0).catch((error: unknown) => {
    if (error instanceof ServiceError || signal?.aborted) throw error;
    const message = `Nothing is listening at ${origin}: start the service first.`;
    throw new ServiceError('invalid_arguments', message, { cause: error });
  });
  let last = past.at(-1)?.id ?? 0;
  const target = new URL(forwardTo);
  print(`Forwarding webhooks of ${origin} to ${target.origin}${target.pathname}`);
  for (let isLost = false; ;) {
    try {
      const events = await eventsAfter(last);
      if (isLost) print(`Reconnected to ${origin}`);
      isLost = false;
      for (const { id, isDue, webhookId } of events) {
        if (isDue !== undefined && webhookId !== undefined) await forwardOne(webhookId);
        // Only now, so that the event is read again if the connection breaks earlier.
        last = id;
      }
    } catch (error) {
      // A new service may be running. `next` finds its token.
      if ((error instanceof ServiceError && !next) || signal?.aborted) throw error;
      if (!isLost) print(`Lost the connection to ${origin}; reconnecting`);
      isLost = true;
      ({ origin, hash } = new URL(next?.() ?? `${origin}/${hash}`));
    }
    await delay(POLL_MS, undefined, defined({ signal }));
  }
}

/** Sends a webhook like the service would, with the same timeout and no redirects. */
async function forward(
  url: string,
  { headers, body }: SentWebhook,
  signal: AbortSignal | undefined,
): Promise<string> {
  const delivery = await send(defined({ url, headers, body, publicOnly: false, signal }));
  return delivery.type === 'answered' ? String(delivery.status) : delivery.reason;
}
