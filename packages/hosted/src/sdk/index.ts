/** The SDK script, served as `/app/embedded.loader.js`. Defines `window.Service`. */
import type { FlowEvent, ServiceGlobal } from '@embedded-sessions/loader';
import { SdkError } from './error.js';
import { OpenFlow, type FlowHandle } from './flow.js';
import type { DisplayOptions } from './display.js';
import { readSessionUrl, type SdkConfig } from './session-url.js';
import type { Kind } from './view.js';
import { warmUp } from './warm.js';
import { importFor } from './words.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
declare const SDK_VERSION: string;

/**
 * The last flow of each container, and the last modal of the document. The loader keeps flows apart too, for every SDK; this
 * is for pages that call the script without it.
 */
const flows = new WeakMap<Element | Document, OpenFlow>();
const events = new EventTarget();

const emit = (event: FlowEvent): unknown =>
  events.dispatchEvent(new CustomEvent(event.type, { detail: event }));

interface Options extends DisplayOptions {
  container?: Element;
}

function start(kind: Kind, sessionUrl: string, { container, ...display }: Options = {}): FlowHandle {
  try {
    const session = readSessionUrl(sessionUrl, SERVICE_CONFIG);
    const place = container ?? document;
    // The session's page listens only to its parent window, which must be this one.
    if (place.getRootNode({ composed: true }) !== document)
      throw new SdkError('flow_failed', 'The container is not in the page.');

    const earlier = flows.get(place);
    if (earlier?.isOver === false) throw new SdkError('flow_in_progress', 'A flow is open here.');
    earlier?.clear();

    const flow = new OpenFlow({ kind, session, container, display, emit });
    flows.set(place, flow);
    try {
      flow.open();
    } catch (error) {
      flow.abandon();
      throw error;
    }
    return Object.assign(flow.result, { close: () => flow.close('merchant') });
  } catch (error) {
    return Object.assign(Promise.reject(error), { close: async () => {} });
  }
}

const service: ServiceGlobal = Object.freeze({
  environment: SERVICE_CONFIG.environment,
  version: SDK_VERSION,
  protocol: 1,
  completePayment: (sessionUrl: string, options?: Options) => start('payment', sessionUrl, options),
  startFlow: (sessionUrl: string, options?: Options) => start('other', sessionUrl, options),
  warm: (display: DisplayOptions = {}) => warmUp(SERVICE_CONFIG, display),
  on: (type: string, handler: (event: FlowEvent) => void) => {
    const listener = ({ detail }: CustomEventInit<FlowEvent>): void => handler(detail!);
    events.addEventListener(type, listener);
    return () => events.removeEventListener(type, listener);
  },
});

// Preloads the module, so that it is there when the first flow opens.
void importFor(navigator.languages);

// Keep the first script on the page: it may have a flow open.
const page = window as { Service?: ServiceGlobal };
if (typeof page.Service?.completePayment !== 'function') page.Service = service;
