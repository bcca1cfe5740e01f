import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import type { WebhookEvent } from '@embedded-sessions/server-types';
import { isServiceError, verifyWebhook, type VerifyOptions, type WebhookHeaders } from './index.js';
import { signWebhook } from './testing.js';
import { keyOf } from './webhook.js';

const SECRET = `whsec_${btoa('a secret of this endpoint, 32 byt')}`;
const OTHER = `whsec_${btoa('another secret, the one of before')}`;
const EVENT = {
  type: 'payment.succeeded' as const,
  timestamp: '2026-11-21T12:00:00.000Z',
  data: {
    PaymentSessionIdentifier: 'stg_1',
    Flow: 'payment' as const,
    Status: 'Succeeded' as const,
    CustomMeta: { name: 'Zoë 😀' },
    Charges: [{ Amount: 100 }],
    Payments: [
      {
        Id: 'pay_1',
        Amount: 100,
        Refunded: 0,
        Method: 'ACH' as const,
        Status: 'succeeded' as const,
        Last4: '6789',
        CreatedAt: '2026-11-22T10:00:00.000Z',
      },
    ],
    CreatedAt: '2026-11-21T11:59:00.000Z',
    ExpiresAt: '2026-11-21T12:29:00.000Z',
  },
};
const signed = await signWebhook(EVENT, SECRET, { id: 'msg_1' });
const failure = (
  body: string,
  headers: WebhookHeaders,
  secret: string | string[] = SECRET,
  options?: VerifyOptions,
) =>
  verifyWebhook(body, headers, secret, options).then(
    () => Promise.reject(new Error('it was verified')),
    (error: unknown) => {
      if (!isServiceError(error)) throw error;
      expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(SECRET.slice(6));
      expect(error.message).toMatch(/\w \w/);
      return [error.kind, error.details['reason']];
    },
  );

describe('R-54 interop with the standardwebhooks package', () => {
  it('accepts what it signs', async () => {
    const body = JSON.stringify(EVENT);
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_7',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_7', now, body),
    };
    await expect(verifyWebhook(body, headers, SECRET)).resolves.toEqual(EVENT);
  });
  it('signs what it accepts', () => {
    expect(signed.headers['content-type']).toBe('application/json');
    expect(new Webhook(SECRET).verify(signed.body, signed.headers)).toEqual(EVENT);
  });
});

it('R-54 does not let the secret be exported from its key', async () => {
  await expect(crypto.subtle.exportKey('raw', await keyOf(SECRET))).rejects.toThrow(/extractable/);
});

describe('R-54 verifyWebhook', () => {
  it.each<[string, WebhookHeaders]>([
    ['a Headers object', new Headers(signed.headers)],
    ['a plain object', signed.headers],
    [
      'names in capitals',
      Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'lists, as Node has them',
      Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name, [value]])),
    ],
  ])('takes %s', async (_, headers) => {
    await expect(verifyWebhook(signed.body, headers, SECRET)).resolves.toEqual(EVENT);
  });

  it('accepts a secret without its prefix, and either of two during rotation', async () => {
    await expect(verifyWebhook(signed.body, signed.headers, SECRET.slice(6))).resolves.toEqual(EVENT);
    await expect(verifyWebhook(signed.body, signed.headers, [OTHER, SECRET])).resolves.toEqual(EVENT);
  });

  it('accepts one valid signature among several of any version', async () => {
    const other = await signWebhook(EVENT, OTHER, {
      id: 'msg_1',
      at: Number(signed.headers['webhook-timestamp']) * 1000,
    });
    const signatures = [
      'v1a,xyz',
      'nonsense',
      'v1,%%%',
      other.headers['webhook-signature'],
      signed.headers['webhook-signature'],
    ];
    const headers = { ...signed.headers, 'webhook-signature': signatures.join(' ') };
    await expect(verifyWebhook(signed.body, headers, SECRET)).resolves.toEqual(EVENT);
  });

  it('R-91 reads the body once per secret, however many signatures there are', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign');
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const wrong = `v1,${btoa('x'.repeat(32))}`;
    const headers = { ...signed.headers, 'webhook-signature': Array(16).fill(wrong).join(' ') };
    expect(await failure(signed.body, headers, [SECRET, OTHER])).toEqual(['signature', 'no_match']);
    expect(sign.mock.calls.length + verify.mock.calls.length).toBe(2);
  });

  const without = (name: string) =>
    Object.fromEntries(Object.entries(signed.headers).filter(([key]) => key !== name));
  const at = (seconds: string) => ({ ...signed.headers, 'webhook-timestamp': seconds });
  const sentAt = Number(signed.headers['webhook-timestamp']) * 1000;
  it.each<[string, () => Promise<unknown[]>, string]>([
    ['no id', () => failure(signed.body, without('webhook-id')), 'missing_header'],
    ['no timestamp', () => failure(signed.body, without('webhook-timestamp')), 'missing_header'],
    ['no signature', () => failure(signed.body, without('webhook-signature')), 'missing_header'],
    ['no headers', () => failure(signed.body, {}), 'missing_header'],
    [
      'a header that is no text',
      () => failure(signed.body, { ...signed.headers, 'webhook-signature': 7 as unknown as string }),
      'missing_header',
    ],
    ['another secret', () => failure(signed.body, signed.headers, OTHER), 'no_match'],
    ['a changed body', () => failure(`${signed.body} `, signed.headers), 'no_match'],
    ['a changed id', () => failure(signed.body, { ...signed.headers, 'webhook-id': 'msg_2' }), 'no_match'],
    ['a changed time', () => failure(signed.body, at(String(sentAt / 1000 + 1))), 'no_match'],
    [
      'half a signature',
      () =>
        failure(signed.body, {
          ...signed.headers,
          'webhook-signature': signed.headers['webhook-signature'].slice(0, 20),
        }),
      'no_match',
    ],
    [
      'a signature of another version',
      () =>
        failure(signed.body, {
          ...signed.headers,
          'webhook-signature': signed.headers['webhook-signature'].replace('v1', 'v2'),
        }),
      'no_match',
    ],
    [
      'a signature with its version in the middle',
      () => {
        const [, signature = ''] = signed.headers['webhook-signature'].split(',');
        const split = `${signature.slice(0, 20)}v1,${signature.slice(20)}`;
        return failure(signed.body, { ...signed.headers, 'webhook-signature': split });
      },
      'no_match',
    ],
    ['a time that is none', () => failure(signed.body, at('soon')), 'outside_tolerance'],
    ['a time with a fraction', () => failure(signed.body, at(`${sentAt / 1000}.0`)), 'outside_tolerance'],
    ['a time in exponents', () => failure(signed.body, at('1e9')), 'outside_tolerance'],
    [
      'five minutes and a second old',
      () => failure(signed.body, signed.headers, SECRET, { now: sentAt + 301_000 }),
      'outside_tolerance',
    ],
    [
      'five minutes and a second ahead',
      () => failure(signed.body, signed.headers, SECRET, { now: sentAt - 301_000 }),
      'outside_tolerance',
    ],
    [
      'older than a tolerance of its own',
      () => failure(signed.body, signed.headers, SECRET, { now: sentAt + 2000, toleranceMs: 1000 }),
      'outside_tolerance',
    ],
  ])('refuses %s', async (_, refused, reason) => {
    expect(await refused()).toEqual(['signature', reason]);
  });
  it('accepts a timestamp within the tolerance', async () => {
    await expect(
      verifyWebhook(signed.body, signed.headers, SECRET, { now: sentAt + 300_000 }),
    ).resolves.toEqual(EVENT);
  });

  it('refuses a correctly signed body that is not an event', async () => {
    for (const event of [
      'x',
      null,
      { type: 7 },
      { type: 7, data: {} },
      { type: 'a', data: null },
      { type: 'a', data: 'b' },
    ]) {
      const odd = await signWebhook(event as unknown as WebhookEvent, SECRET);
      expect(await failure(odd.body, odd.headers)).toEqual(['signature', 'invalid_body']);
    }
  });

  it('R-54 accepts an event of an unknown type with unknown data', async () => {
    const event = { type: 'account.closed', timestamp: '2026-11-30T12:00:00Z', data: { Account: 'A-1' } };
    const { body, headers } = await signWebhook(event as unknown as WebhookEvent, SECRET);
    await expect(verifyWebhook(body, headers, SECRET)).resolves.toEqual(event);
  });

  it.each(['', 'whsec_', 'whsec_%%%', 'c2Vjwhsec_cmV0'])('refuses %j as a secret', async (secret) => {
    expect(await failure(signed.body, signed.headers, secret)).toEqual(['configuration', undefined]);
  });
  it.each([null, 5, '', 'whsec_', [undefined]])('refuses %j as a secret', async (secret) => {
    const given = secret as unknown as string;
    expect(await failure(signed.body, signed.headers, given)).toEqual(['configuration', undefined]);
  });
  it.each([undefined, null, 'x'])('reports a missing signature in headers %j', async (headers) => {
    const given = headers as unknown as Record<string, string>;
    expect(await failure(signed.body, given)).toEqual(['signature', 'missing_header']);
  });
  it('reports a missing secret and a parsed body', async () => {
    expect((await failure(signed.body, signed.headers, []))[0]).toBe('configuration');
    expect(await failure(EVENT as unknown as string, signed.headers)).toEqual(['configuration', undefined]);
  });
});
