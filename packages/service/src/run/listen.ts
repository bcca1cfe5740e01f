/** Webhooks of a running service, carried to a merchant's backend as they are sent. */
import { ServiceError } from '../domain/error.js';
import type { InspectorEvent, WebhookRecord } from '../shared/inspector.js';

export interface ListenOptions {
  /** The inspector's address as it was printed, its token in the fragment. */
  readonly inspector: string;
  readonly forwardTo: string;
  /** Told of each message in one line. */
  readonly print: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Resolves when the service ends or `signal` says so.
 * @throws ServiceError where the inspector is not there or does not know the token
 */
export async function listen({ inspector, forwardTo, print, signal }: ListenOptions): Promise<void> {
  const { origin, hash } = new URL(inspector);
  const headers = { authorization: `Bearer ${hash.slice(1)}` };
  const ask = async (path: string, more: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(origin + path, {
      headers: { ...headers, ...more },
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status === 401)
      throw new ServiceError(
        'invalid_arguments',
        'The inspector does not know this token: copy its address again.',
      );
    return response;
  };
  const past = (await (await ask('/events?kind=webhook')).json()) as InspectorEvent[];
  const stream = await ask('/events?kind=webhook', {
    accept: 'text/event-stream',
    'last-event-id': String(past.at(-1)?.id ?? 0),
  });
  print(`Webhooks of ${origin} go to ${forwardTo}`);
  for await (const { isDue, webhookId } of messages(stream)) {
    if (isDue === undefined || webhookId === undefined) continue;
    const { type, sent } = (await (await ask(`/webhooks/${webhookId}`)).json()) as WebhookRecord;
    if (sent) print(`${type} ${webhookId} → ${await forward(forwardTo, sent)}`);
  }
}

async function forward(url: string, { headers, body }: NonNullable<WebhookRecord['sent']>): Promise<string> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.body?.cancel();
    return String(response.status);
  } catch {
    return 'no answer';
  }
}

async function* messages(stream: Response): AsyncGenerator<InspectorEvent> {
  let rest = '';
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: ?(.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data) as InspectorEvent;
    }
  }
}
