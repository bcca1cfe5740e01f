/** The script that a merchant's page loads from `/app/embedded.loader.js`: defines `window.Service`. */
import type { FlowEvent, ServiceGlobal } from '@embedded-sessions/loader';
import { SdkError } from './error.js';
import { openFlow, type FlowHandle } from './flow.js';
import type { Dress } from './looks.js';
import { readSessionUrl, type SdkConfig } from './session-url.js';
import type { Kind } from './view.js';
import { warmUp } from './warm.js';

/** Put around this script by the service that serves it: see `http/files/sdk-script.ts`. */
declare const SERVICE_CONFIG: SdkConfig;
declare const SDK_VERSION: string;

/** What makes room where a flow was opened: it throws while that runs. The page itself stands for the one modal. */
const open = new WeakMap<Element | Document, () => void>();
const handlers = new Map<string, Set<(event: FlowEvent) => void>>();

function emit(event: FlowEvent): void {
  for (const handler of handlers.get(event.type) ?? []) {
    try {
      handler(event);
    } catch (error) {
      reportError(error);
    }
  }
}

interface Options extends Dress {
  container?: Element;
  expectedFlow?: string;
}

function start(
  kind: Kind,
  sessionUrl: string,
  { container, expectedFlow: asked = kind, ...dress }: Options = {},
): FlowHandle {
  try {
    const session = readSessionUrl(sessionUrl, SERVICE_CONFIG);
    const place = container ?? document;
    // A session's page hears its parent alone, and another document's is not this window.
    if (place.getRootNode({ composed: true }) !== document)
      throw new SdkError('flow_failed', 'The container is not in the page.');
    open.get(place)?.();
    const leave = (clear: () => void): unknown => open.set(place, clear);
    const flow = openFlow({ kind, asked, session, container, dress, emit, leave });
    leave(() => {
      throw new SdkError('flow_in_progress', 'A flow is open here.');
    });
    return flow;
  } catch (error) {
    return Object.assign(Promise.reject(error), { close: () => Promise.resolve() });
  }
}

const service: ServiceGlobal = Object.freeze({
  environment: SERVICE_CONFIG.environment,
  version: SDK_VERSION,
  protocol: 1,
  completePayment: (sessionUrl: string, options?: Options) => start('payment', sessionUrl, options),
  startFlow: (sessionUrl: string, options?: Options) => start('other', sessionUrl, options),
  warm: async (dress: Dress = {}) => warmUp(SERVICE_CONFIG, dress),
  on: (type: string, handler: (event: FlowEvent) => void) => {
    const ofType = handlers.get(type) ?? new Set();
    handlers.set(type, ofType.add(handler));
    return () => void ofType.delete(handler);
  },
});

// Loaded twice, the first stays: it may have a flow open.
const page = window as { Service?: ServiceGlobal };
if (typeof page.Service?.completePayment !== 'function') page.Service = service;
