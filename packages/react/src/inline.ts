// The element of an inline flow, independent of React: the flow survives everything but the removal of that element.
import type { FlowController } from './controller.js';
import type { PaymentResult } from './flow-state.js';

export interface InlinePlace {
  /** Call it when effects run. The first call starts the flow. */
  readonly show: (host: Element) => void;
  /** Call it when effects are cleaned up: by StrictMode, Fast Refresh, <Activity>, or the final unmount. */
  readonly leave: () => void;
  /** Starts again after a failure. Does nothing otherwise. */
  readonly restart: () => void;
}

export function createInlinePlace(controller: FlowController): InlinePlace {
  let host: Element | undefined;
  let shown: Promise<void>;

  async function start(inside: Element): Promise<void> {
    // A new element for each attempt, without leftovers of the last one.
    const place = document.createElement('div');
    // Not every SDK reports when it is ready. A loaded frame is.
    place.addEventListener(
      'load',
      ({ target }) => {
        if ((target as Element).tagName === 'IFRAME') controller.ready();
      },
      true,
    );
    inside.replaceChildren(place);
    const { status } = await controller.startIn(place);
    if (status === 'failed') place.remove();
  }

  /** Shows the flow again if it ended with this status and its element is still in the page. */
  function showAfter(status: PaymentResult['status']): void {
    if (controller.getState().result?.status === status && host!.isConnected) shown = start(host!);
  }

  /** Restored from the back-forward cache: nobody has seen the result, so show the flow again, as after a reload. */
  const onPageShow = ({ persisted }: PageTransitionEvent): unknown =>
    persisted && shown.then(() => showAfter('unknown'));

  return {
    show(element) {
      if (host) return;
      host = element;
      shown = start(element);
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
