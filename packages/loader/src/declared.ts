import type { AdapterHandle, FlowResult, ServiceAdapter, ServiceGlobal } from './sdk.js';

/** Events to forward. None of them ends the flow; its promise does. */
const PROGRESS = ['ready', 'processing', 'completed', 'expired'];

/**
 * Adapter for an SDK that declares `protocol = 1`: its promise settles when the flow has ended and left the page, and its
 * events contain the session's id.
 */
export const declaredAdapter: ServiceAdapter = (service, { flow, url, emit, ...options }) => {
  const sdk = service as ServiceGlobal;
  const path = new URL(url).pathname.split('/');

  const method = flow === 'payment' ? 'completePayment' : 'startFlow';
  const done = sdk[method](url, options) as Promise<FlowResult> & Pick<AdapterHandle, 'close'>;

  const subscriptions = PROGRESS.map((type) =>
    sdk.on?.(type, (event) => {
      if (path.includes(event.sessionId!)) emit(event);
    }),
  );
  const unsubscribe = () => subscriptions.forEach((off) => off?.());
  done.then(unsubscribe, unsubscribe);
  return { done, concurrent: true, close: () => done.close!() };
};
