import { expectTypeOf } from 'vitest';
import type { EmbeddedFlowElement } from './element.js';
import type { ButtonResult, EmbeddedSessionsGlobal } from './global.js';
import {
  createLoader,
  environmentOf,
  isLoaderError,
  loadService,
  LoaderError,
  type EmbeddedService,
  type Environment,
  type FlowEvent,
  type FlowOptions,
  type FlowResult,
  type Loader,
  type LoaderErrorCode,
  type LoaderEvent,
  type LoaderOptions,
  type ServiceAdapter,
  type ServiceGlobal,
  type SessionRef,
} from './index.js';
import { createFakeLoader } from './testing.js';

const LOADER_URL = 'https://pay.example.com/app/embedded.loader.js';

// Entry points.
expectTypeOf(createLoader).parameter(0).toEqualTypeOf<LoaderOptions>();
const staging = { environment: 'staging', loaderUrl: LOADER_URL } as const;
expectTypeOf(createLoader(staging)).toEqualTypeOf<Loader>();
expectTypeOf(loadService({ ...staging, signal: new AbortController().signal })).toEqualTypeOf<
  Promise<EmbeddedService>
>();
createLoader({ environment: 'staging', loaderUrls: { staging: LOADER_URL } });
createLoader({ loaderUrl: LOADER_URL, loaderUrls: { staging: LOADER_URL } });
// @ts-expect-error no environment
createLoader({ loaderUrl: LOADER_URL });
// @ts-expect-error no URL
createLoader({ environment: 'staging' });
// @ts-expect-error undefined, as an environment variable may be
createLoader({ environment: 'staging', loaderUrl: undefined as string | undefined });
expectTypeOf(
  environmentOf(new URL(LOADER_URL), { loaderUrl: LOADER_URL, environment: 'staging' }),
).toEqualTypeOf<Environment | null>();
expectTypeOf<Loader['state']>().toEqualTypeOf<'idle' | 'loading' | 'ready' | 'failed'>();
expectTypeOf<EmbeddedService['completePayment']>().parameter(0).toEqualTypeOf<SessionRef>();
expectTypeOf<EmbeddedService['startFlow']>().parameter(1).toEqualTypeOf<FlowOptions | undefined>();
expectTypeOf<LoaderEvent['code']>().toEqualTypeOf<LoaderErrorCode | undefined>();

// there is no option for an API key.
// @ts-expect-error no such option
createLoader({ environment: 'staging', loaderUrl: LOADER_URL, apiKey: 'x' });
// @ts-expect-error no such option
void loadService({ environment: 'staging', loaderUrl: LOADER_URL, headers: {} });

// @ts-expect-error takes no payments (R-6)
createLoader({ environment: 'development', loaderUrl: LOADER_URL });
// @ts-expect-error a table by environment
createLoader({ loaderUrls: { prod: LOADER_URL } });
// @ts-expect-error a list
createLoader({ environment: 'staging', sessionPrefixes: { staging: 'https://s.example.com' } });

// The result of a server client's `create` is a session.
const created: {
  sessionId: string;
  sessionUrl: string;
  environment: 'staging' | 'production';
  expiresInMs: number;
} = {
  sessionId: 'stg_1',
  sessionUrl: 'https://pay.example.com/s/stg_1',
  environment: 'staging',
  expiresInMs: 1_800_000,
};
expectTypeOf(created).toExtend<SessionRef>();
declare const service: EmbeddedService;
void service.completePayment(created);
// @ts-expect-error no URL
void service.completePayment({ sessionId: 'stg_1' });
// Optional properties may be undefined, with `exactOptionalPropertyTypes` too.
declare const maybe: { signal?: AbortSignal | undefined; locale?: string | undefined; element?: Element };
void service.completePayment(
  { ...created, environment: undefined, expiresInMs: undefined },
  {
    signal: maybe.signal,
    locale: maybe.locale,
    container: maybe.element,
    onEvent: undefined,
    appearance: undefined,
  },
);
createLoader({ environment: 'staging', loaderUrl: LOADER_URL, locale: maybe.locale, nonce: undefined });
void createLoader({ environment: 'staging', loaderUrl: LOADER_URL }).load({ signal: maybe.signal });
// @ts-expect-error an element, not a selector
void service.startFlow(created, { container: '#pay' });

// Results and errors are discriminated by one field.
const read = (result: FlowResult): unknown => {
  switch (result.status) {
    case 'completed':
      return result.detail;
    case 'canceled':
      expectTypeOf(result.by).toEqualTypeOf<'payer' | 'merchant'>();
      return result.by;
    case 'expired':
    case 'unknown':
      // @ts-expect-error no payment was made
      return result.detail;
  }
};
expectTypeOf(read).returns.toBeUnknown();
declare const caught: unknown;
if (isLoaderError(caught)) {
  expectTypeOf(caught).toEqualTypeOf<LoaderError>();
  expectTypeOf(caught.code).toEqualTypeOf<LoaderErrorCode>();
  expectTypeOf(caught.retryable).toBeBoolean();
  // @ts-expect-error no such code
  if (caught.code === 'oops') throw caught;
}

// An SDK that follows the contract, and an adapter for one that doesn't.
expectTypeOf<{
  completePayment(url: string): void;
  startFlow(url: string): Promise<string>;
}>().toExtend<ServiceGlobal>();
const adapter: ServiceAdapter = (_sdk, { emit }) => {
  emit({ type: 'ready' });
  // @ts-expect-error no such event
  emit({ type: 'paid' });
  return { done: Promise.resolve({ status: 'unknown' }) };
};
createLoader({ environment: 'staging', loaderUrl: LOADER_URL, adapter, onEvent: ({ ms }) => ms.toFixed() });
expectTypeOf<FlowEvent['sessionId']>().toEqualTypeOf<string | undefined>();
const onEvent = (event: FlowEvent) => {
  if (event.type === 'error') expectTypeOf(event.detail.code).toEqualTypeOf<LoaderErrorCode>();
  if (event.type === 'completed') expectTypeOf(event.detail).toBeUnknown();
  if (event.type === 'ready') expectTypeOf(event.detail).toBeUndefined();
};
void service.completePayment(created, { onEvent, locale: 'ht', appearance: { colorScheme: 'dark' } });
void service.completePayment(created, { appearance: { colorScheme: undefined, accent: undefined } });
// @ts-expect-error no such scheme
void service.completePayment(created, { appearance: { colorScheme: 'sepia' } });

// The script tag's global, and the event of its buttons.
expectTypeOf(window.EmbeddedSessions).toEqualTypeOf<EmbeddedSessionsGlobal>();
addEventListener('embedded-session:settled', ({ detail }) => {
  expectTypeOf(detail).toEqualTypeOf<ButtonResult>();
  if (detail.status === 'failed') expectTypeOf(detail.error).toBeUnknown();
});
document.querySelector('button')?.addEventListener('embedded-session:settled', ({ detail }) => {
  // @ts-expect-error no such status
  if (detail.status === 'paid') throw new Error();
});

// Events of `<embedded-flow>`, and events of every element.
declare const element: EmbeddedFlowElement;
element.addEventListener('error', ({ detail }) => expectTypeOf(detail).toEqualTypeOf<LoaderError>());
element.addEventListener('settled', ({ detail }) => expectTypeOf(detail).toEqualTypeOf<FlowResult>());
element.addEventListener('click', ({ clientX }) => expectTypeOf(clientX).toBeNumber());
element.addEventListener('other', (event) => expectTypeOf(event).toEqualTypeOf<Event>());
element.session = { sessionUrl: LOADER_URL };
expectTypeOf(document.querySelector('embedded-flow')).toEqualTypeOf<EmbeddedFlowElement | null>();

expectTypeOf(createFakeLoader().loader).toExtend<Loader>();
expectTypeOf(createFakeLoader().flows[0]).toExtend<{ url: string; kind: 'payment' | 'other' } | undefined>();
