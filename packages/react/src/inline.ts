// Where an inline flow lives in the page, without React: it survives everything but the removal of its place.
import type { FlowController } from './controller.js';

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

  return {
    show(element) {
      if (host) return;
      host = element;
      void start(element);
    },
    leave: () =>
      queueMicrotask(() => {
        if (host && !host.isConnected) controller.end();
      }),
    restart() {
      // What failed was shown before.
      if (controller.getState().error && host!.isConnected) void start(host!);
    },
  };
}
