/** Operators' SDKs in every shape that the default adapter supports. */

export const REPORTING = {
  promise: 'a promise that settles when it ends',
  'promise on opening': 'a promise that settles when it has opened, then events',
  events: 'events (`on`)',
  callbacks: 'callbacks, by an adapter',
  nothing: 'nothing',
} as const;
export type Reporting = keyof typeof REPORTING;

export const FRAMES = [
  'at the session’s origin',
  'at another origin',
  'without src, by location.replace',
  'with srcdoc',
  'in an open shadow root',
  'later',
  'hidden instead of removed',
  'in a closed shadow root',
] as const;
export type FrameKind = (typeof FRAMES)[number];

export interface Shape {
  reporting: Reporting;
  frame: FrameKind;
  /** Whether the call returns an object with `close`. */
  closes: boolean;
  /** Origin of the frame, if not the session's. */
  elsewhere: string;
}

/** An action of the payer or the page. */
export interface SdkActions {
  pays(): void;
  closes(): void;
  /** The frame is removed without a message. */
  vanishes(): void;
  /** A message without an action. */
  say(type: string, event?: unknown): void;
}

/** Runs in the page: installs the SDK and returns functions that act as the payer. */
export function makeSdk({ reporting, frame, closes, elsewhere }: Shape): SdkActions {
  const handlers: Record<string, (event: unknown) => void> = {};
  const say = (type: string, event?: unknown) => handlers[type]?.(event);
  let end = (_result: unknown) => {};
  let remove = () => {};
  let kept: HTMLElement | undefined;
  let callbacks: Record<string, (value?: unknown) => void> = {};

  const show = (url: string, container: Element | undefined) => {
    if (kept) {
      kept.style.display = 'block';
      document.documentElement.dataset['shown'] = 'yes';
      return;
    }
    const host = document.createElement('div');
    host.style.cssText = 'position:fixed;inset:10% 20%;background:#fff';
    const mode = frame === 'in a closed shadow root' ? 'closed' : 'open';
    const root = frame.includes('shadow') ? host.attachShadow({ mode }) : host;
    const element = document.createElement('iframe');
    element.title = 'Payment';
    if (frame === 'with srcdoc') element.srcdoc = '<button>Pay</button>';
    else if (frame === 'at another origin') element.src = `${elsewhere}/s/1`;
    else if (frame !== 'without src, by location.replace') element.src = url;
    (container ?? document.body).append(host);
    const put = () => {
      root.append(element);
      if (!element.src && !element.srcdoc) element.contentWindow?.location.replace(url);
      document.documentElement.dataset['shown'] = 'yes';
    };
    if (frame === 'later') setTimeout(put, 300);
    else put();
    if (frame === 'hidden instead of removed') kept = host;
    remove = () => {
      if (kept) kept.style.display = 'none';
      else host.remove();
    };
  };

  const open = (url: string, given: { container?: Element } & typeof callbacks = {}): unknown => {
    show(url, given.container);
    callbacks = given;
    const result = new Promise((resolve) => (end = resolve));
    const close = async () => {
      remove();
      end({ status: 'canceled', by: 'merchant' });
      say('closed', { type: 'closed', detail: { status: 'canceled', by: 'merchant' } });
    };
    const handle = closes ? { close } : {};
    if (reporting === 'promise') return Object.assign(result, handle);
    if (reporting === 'promise on opening') return Object.assign(Promise.resolve(), handle);
    return handle;
  };
  const on = (type: string, handler: (event: unknown) => void) => {
    handlers[type] = handler;
    return () => delete handlers[type];
  };
  const isEmitter = reporting === 'events' || reporting === 'promise on opening';
  Object.assign(window, {
    Service: { environment: 'staging', completePayment: open, startFlow: open, ...(isEmitter && { on }) },
  });

  return {
    say,
    vanishes: () => remove(),
    pays() {
      say('completed', { type: 'completed', detail: 7 });
      callbacks['onPaid']?.(7);
      remove();
      end({ status: 'completed', detail: 7 });
      say('closed', { type: 'closed' });
      callbacks['onClosed']?.();
    },
    closes() {
      remove();
      end({ status: 'canceled', by: 'payer' });
      say('closed', { type: 'closed', detail: { status: 'canceled', by: 'payer' } });
      callbacks['onClosed']?.({ status: 'canceled', by: 'payer' });
    },
  };
}
