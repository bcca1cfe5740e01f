// Where an inline flow lives in the page, without React: it survives everything but the removal of its place.
import type { FlowController } from './controller.js';
import type { PaymentResult } from './flow-state.js';

export interface InlinePlace {
  /** The effects run: the first time, start. */
  readonly show: (host: Element) => void;
  /** The effects were cleaned up: by StrictMode, Fast Refresh or <Activity>, or since the place is gone for good. */
  readonly leave: () => void;
  /** Starts anew after a failure; at any other time there is nothing to start. */
  readonly restart: () => void;
}

export function createInlinePlace(controller: FlowController): InlinePlace {
  let host: Element | undefined;
  let shown: Promise<void>;

  async function start(inside: Element): Promise<void> {
    // A place of its own for each attempt: nothing that the last one left behind is in the way.
    const place = document.createElement('div');
    // An operator's SDK need not say when it is ready; a frame that has loaded is.
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

  /** What ended like this is shown anew, where it still has its place. */
  function showAfter(status: PaymentResult['status']): void {
    if (controller.getState().result?.status === status && host!.isConnected) shown = start(host!);
  }

  /** Out of the back-forward cache, where nobody saw how it ended, it is there again as after a reload. */
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
