/** One POST to a merchant's server: no redirects, one deadline, and in production no address inside a network. */
import dns from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { retryAfterMs } from '@embedded-sessions/server-types';
import { DELIVERY_DEADLINE_MS } from './rules.js';
import type { Delivery } from './rules.js';
import { isPublic } from './public-address.js';

export interface Outgoing {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Refuse private, link-local and other addresses that are not on the public internet. */
  readonly publicOnly: boolean;
  readonly signal?: AbortSignal;
  /** Real ms for name, connection, request and answer together. */
  readonly deadlineMs?: number;
  /** Bytes of the response to keep; default: 0. */
  readonly answerBytes?: number;
}

const FORBIDDEN = 'EADDRNOTPUBLIC';

/** Resolves to the outcome. Rejects if the request can't be built, for example because of invalid header characters. */
export async function send(outgoing: Outgoing): Promise<Delivery> {
  const { url, body, headers, publicOnly, deadlineMs = DELIVERY_DEADLINE_MS, answerBytes = 0 } = outgoing;
  const target = new URL(url);
  const host = target.hostname.replace(/[[\]]/g, '');
  if (publicOnly && isIP(host) !== 0 && !isPublic(host)) return forbidden(host);
  const deadline = AbortSignal.timeout(deadlineMs);
  // Not `AbortSignal.any`: its signals stay in memory as long as the stop signal does.
  const ending = new AbortController();
  const { signal } = ending;
  const end = (): void => ending.abort();
  const ends = [deadline, outgoing.signal];
  for (const one of ends) {
    one?.addEventListener('abort', end);
    if (one?.aborted) end();
  }

  return new Promise((settle) => {
    const call = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = call(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      signal,
      ...(publicOnly ? { lookup: lookupPublic } : {}),
    });
    // Set once a status has arrived; then it no longer matters how the body ends.
    let delivery: (() => Delivery) | undefined;
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const waitMs = retryAfterMs(response.headers['retry-after'], Date.now());
      const answered: Delivery = {
        type: 'answered',
        status,
        ...(waitMs > 0 ? { retryAfterMs: waitMs } : {}),
      };
      // The body isn't needed and may be endless.
      if (answerBytes === 0) {
        settle(answered);
        response.destroy();
        return;
      }
      let answer = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        answer = Buffer.concat([answer, chunk]);
        if (answer.length >= answerBytes) response.destroy();
      });
      const soFar = (): Delivery => ({ ...answered, answer: answer.subarray(0, answerBytes).toString() });
      delivery = soFar;
      response.on('error', () => undefined);
    });
    // We did not ask for an upgrade, so ignore it.
    request.on('upgrade', (response, socket) => {
      settle({ type: 'answered', status: response.statusCode ?? 0 });
      socket.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (delivery) settle(delivery());
      else if (error.code === FORBIDDEN) settle(forbidden(host));
      else
        settle({
          type: 'unreachable',
          reason: deadline.aborted ? 'no answer in time' : (error.code ?? error.name),
        });
    });
    // Always settle, because a queue waits for it.
    request.on('close', () => {
      for (const one of ends) one?.removeEventListener('abort', end);
      settle(delivery?.() ?? { type: 'unreachable', reason: 'closed' });
    });
    request.end(body);
  });
}

function forbidden(host: string): Delivery {
  return { type: 'forbidden', reason: `${host} is not an address on the public internet` };
}

/**
 * Resolves a name for `net.connect`, and refuses it if any of its addresses is internal. The connection uses the checked
 * address, so a name that resolves differently a moment later changes nothing.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) callback(error, []);
    else if (first === undefined || !addresses.every(({ address }) => isPublic(address)))
      callback(Object.assign(new Error(FORBIDDEN), { code: FORBIDDEN }), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
