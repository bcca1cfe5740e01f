/** A store that reports each call before it runs. */
import type { Store, StoreTx } from '../src/core/store.js';

/** @param onCall receives `sessions.get`, `attempts.insert`, … */
export function watched(store: Store, onCall: (call: string) => void): Store {
  const within = (tx: StoreTx): StoreTx =>
    new Proxy(tx, {
      get: (areas, area: keyof StoreTx) =>
        new Proxy(areas[area], {
          get: (methods, method: string) => {
            onCall(`${area}.${method}`);
            return Reflect.get(methods, method) as unknown;
          },
        }),
    });
  return {
    transaction: (work, options) => store.transaction((tx, repeated) => work(within(tx), repeated), options),
    read: (work) => store.read((tx) => work(within(tx))),
    onMessages: (listener) => store.onMessages(listener),
    close: () => store.close(),
  };
}
