/** The script that a merchant's page loads from `/app/embedded.loader.js`: defines `window.Service`. */
import type { FlowEvent, ServiceGlobal } from '@embedded-sessions/loader';
import { SdkError } from './error.js';
import { openFlow, type FlowHandle } from './flow.js';
import type { Appearances } from './looks.js';
import { readSessionUrl, type SdkConfig } from './session-url.js';
import type { Kind } from './view.js';
import { warmUp } from './warm.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
declare const SDK_VERSION: string;

/** Makes room in a container, or in the document for the one modal. Throws if a flow is open there. */
const claims = new WeakMap<Element | Document, () => void>();
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

interface Options extends Appearances {
  container?: Element;
  expectedFlow?: string;
}

function start(
  kind: Kind,
  sessionUrl: string,
  { container, expectedFlow = kind, ...appearances }: Options = {},
): FlowHandle {
  try {
    const session = readSessionUrl(sessionUrl, SERVICE_CONFIG);
    const place = container ?? document;
    // A session's page listens only to its parent window, which must be this one.
    if (place.getRootNode({ composed: true }) !== document)
      throw new SdkError('flow_failed', 'The container is not in the page.');

    claims.get(place)?.();
    const onOver = (clear: () => void): unknown => claims.set(place, clear);
    const flow = openFlow({ kind, expectedFlow, session, container, appearances, emit, onOver });
    claims.set(place, () => {
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
  warm: async (appearances: Appearances = {}) => warmUp(SERVICE_CONFIG, appearances),
  on: (type: string, handler: (event: FlowEvent) => void) => {
    const ofType = handlers.get(type) ?? new Set();
    handlers.set(type, ofType.add(handler));
    return () => void ofType.delete(handler);
  },
});

// The first script on a page stays: it may have a flow open.
const page = window as { Service?: ServiceGlobal };
if (typeof page.Service?.completePayment !== 'function') page.Service = service;
