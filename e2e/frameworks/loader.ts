/** Shared by all apps: the loader, and the request for a session. */
import { createLoader, type SessionRef } from '@embedded-sessions/loader';
import { defineEmbeddedFlow } from '@embedded-sessions/loader/element';

const loader = createLoader({
  environment: 'staging',
  loaderUrl: 'https://staging.pay.example/app/embedded.loader.js',
});

export const define = (): void => defineEmbeddedFlow(loader);

export async function createSession(): Promise<SessionRef> {
  return (await (await fetch('/pay', { method: 'POST' })).json()) as SessionRef;
}

/** Pays in the modal, and returns the status of the result. */
export async function payInModal(): Promise<string> {
  const service = await loader.load();
  return (await service.completePayment(await createSession())).status;
}
