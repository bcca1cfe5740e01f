// Code that must compile for merchants, and code that must not.
import { useState, type ReactElement } from 'react';
import { expectTypeOf } from 'vitest';
import type { Loader } from '@embedded-sessions/loader';
import type { Flow as ContractFlow } from '@embedded-sessions/server-types';
import { createFakeLoader, FakeEmbeddedProvider } from '@embedded-sessions/react/testing';
import {
  EmbeddedFlow,
  EmbeddedPaymentError,
  EmbeddedProvider,
  useEmbeddedFlow,
  useEmbeddedPayment,
  type EmbeddedEvent,
  type Flow,
  type FlowResult,
  type PaymentResult,
  type SessionRef,
  type SessionSource,
} from '@embedded-sessions/react';

declare const loader: Loader;
const url = 'https://pay.example.com/s/stg_1#secret';

// The flow names of the contract, which this package doesn't depend on.
void ({} as ContractFlow satisfies Flow);
void ({} as Flow satisfies ContractFlow);
expectTypeOf<PaymentResult>().toEqualTypeOf<
  FlowResult | { readonly status: 'failed'; readonly error: EmbeddedPaymentError }
>();
expectTypeOf<EmbeddedPaymentError['code']>()
  .extract<'no_loader' | 'session_failed' | 'environment_mismatch'>()
  .not.toBeNever();

// The server client's create() returns a session with additional fields.
const receipt = {
  sessionId: 'stg_1',
  sessionUrl: url,
  environment: 'staging' as const,
  expiresAt: '2026-11-21T12:00:00Z',
  expiresInMs: 1_800_000,
  status: 'RequiresPaymentSource',
  raw: {},
};
expectTypeOf(receipt).toExtend<SessionRef>();
expectTypeOf(async () => receipt).toExtend<SessionSource>();
// @ts-expect-error An operator's response is not a session: pass its link.
void (async () => ({ PaymentLogInLink: url })) satisfies SessionSource;
// @ts-expect-error There are two environments.
void ({ sessionUrl: url, environment: 'development' } satisfies SessionSource);

export function Modal(): ReactElement {
  const [key] = useState('bill 1');
  const payment = useEmbeddedPayment({
    session: async ({ signal, reason }) => {
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(reason).toEqualTypeOf<'initial' | 'expired' | 'retry'>();
      return url;
    },
    sessionKey: key,
    onSettled: (result) => expectTypeOf(result).toEqualTypeOf<PaymentResult>(),
    loader,
  });
  expectTypeOf(payment.status).toEqualTypeOf<'idle' | 'preparing' | 'open' | 'settled'>();
  expectTypeOf(payment.pay()).toEqualTypeOf<Promise<PaymentResult>>();
  void payment.pay(url);
  void payment.pay({ sessionUrl: url, expiresInMs: 1_000 });
  void payment.pay(async () => url);
  const press = { type: 'press' as const, target: document.body, pointerType: 'mouse' };
  void payment.pay(press);
  // @ts-expect-error A promise is not a session: await it, or pass a function.
  void payment.pay(Promise.resolve(url));
  // @ts-expect-error Null is not a session.
  void payment.pay(null);
  // @ts-expect-error A number is not a session.
  void payment.pay(1234);
  // @ts-expect-error An API key never reaches a browser (R-2).
  useEmbeddedPayment({ session: url, apiKey: 'stg_key' });

  // `status` narrows the other fields.
  const { status, result, error } = payment;
  if (status === 'settled') expectTypeOf(result).toEqualTypeOf<PaymentResult>();
  else expectTypeOf(result).toBeNull();
  expectTypeOf(error).toEqualTypeOf<EmbeddedPaymentError | null>();
  if (result?.status === 'canceled') expectTypeOf(result.by).toEqualTypeOf<'payer' | 'merchant'>();

  const other = useEmbeddedFlow();
  expectTypeOf(other.start()).toEqualTypeOf<Promise<PaymentResult>>();
  // @ts-expect-error Only payments are paid.
  void other.pay;
  return (
    <>
      <button onClick={payment.pay} onMouseEnter={payment.prefetch} />
      <form onSubmit={other.start} onReset={payment.reset} />
    </>
  );
}

export const inline = (
  <EmbeddedProvider
    loader={loader}
    preload
    onEvent={(event) => expectTypeOf(event).toEqualTypeOf<EmbeddedEvent>()}
  >
    <EmbeddedFlow
      flow="scheduled-payments"
      session={() => Promise.resolve(receipt)}
      sessionKey="1"
      loading={<p />}
      renderError={({ error, retry }) => <button onClick={retry}>{error.code}</button>}
      onComplete={({ detail }) => expectTypeOf(detail).toEqualTypeOf<unknown>()}
      onCancel={({ by }) => by}
      onExpire={() => {}}
      onError={({ retryable }) => retryable}
      className="bill"
      style={{ minHeight: '30rem' }}
      aria-label="Your payments"
    />
    {/* @ts-expect-error Spelt as on the wire. */}
    <EmbeddedFlow flow="scheduledPayments" session={url} />
    <EmbeddedFlow
      flow="payment"
      session={null}
      locale="fr"
      appearance={{ colorScheme: 'dark', accent: '#0a5c36', radius: 4, font: 'serif' }}
      onReady={() => {}}
      onEvent={(event) => expectTypeOf(event).toEqualTypeOf<EmbeddedEvent>()}
    />
    {/* @ts-expect-error Not a color scheme. */}
    <EmbeddedFlow flow="payment" session={url} appearance={{ colorScheme: 'sepia' }} />
    {/* @ts-expect-error What to show is not optional. */}
    <EmbeddedFlow flow="payment" />
  </EmbeddedProvider>
);

// @ts-expect-error A provider needs a loader.
export const empty = <EmbeddedProvider />;

export const fake = (
  <FakeEmbeddedProvider fake={createFakeLoader({ environment: 'staging' })} onEvent={() => {}}>
    <p />
  </FakeEmbeddedProvider>
);
