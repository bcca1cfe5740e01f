// The element of an inline flow, independent of React. The flow ends only when this element is removed.
import type { FlowController } from './controller.js';
import type { PaymentResult } from './flow-state.js';

export interface InlinePlace {
  /** Call when effects run. The first call starts the flow. */
  readonly show: (host: Element) => void;
  /** Call when effects are cleaned up: by StrictMode, Fast Refresh, <Activity> or the final unmount. */
  readonly leave: () => void;
  /** Starts again after a failure. Does nothing otherwise. */
  readonly restart: () => void;
}

export function createInlinePlace(controller: FlowController): InlinePlace {
  let host: Element | undefined;
  let shown: Promise<void>;

  async function start(): Promise<void> {
    // Use a new element for each attempt.
    const place = document.createElement('div');
    // Some SDKs never report that they are ready. Then the frame's load event counts.
    place.addEventListener(
      'load',
      ({ target }) => {
        if ((target as Element).tagName === 'IFRAME') controller.ready();
      },
      true,
    );
    host!.replaceChildren(place);
    const { status } = await controller.startIn(place);
    if (status === 'failed') place.remove();
  }

  /** Shows the flow again if it ended with this status and its element is still in the page. */
  function showAfter(status: PaymentResult['status']): void {
    if (controller.getState().result?.status === status && host!.isConnected) shown = start();
  }

  /** After a restore from the back-forward cache, nobody has seen the result, so show the flow again. */
  const onPageShow = ({ persisted }: PageTransitionEvent): unknown =>
    persisted && shown.then(() => showAfter('unknown'));

  return {
    show(element) {
      if (host) return;
      host = element;
      shown = start();
      addEventListener('pageshow', onPageShow);
    },
    leave: () =>
      queueMicrotask(() => {
        if (!host || host.isConnected) return;
        removeEventListener('pageshow', onPageShow);
        controller.end();
      }),
    restart: () => showAfter('failed'),
  };
}
