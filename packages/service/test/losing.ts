import { ServiceError } from '../src/core/error.js';
import type { Store } from '../src/core/store.js';

/** A database that loses the response to COMMIT. Retries repeatable transactions, like the real engines. */
export const losing = (store: Store): Store => ({
  ...store,
  transaction: async (work, options) => {
    await store.transaction(work, options);
    if (options?.repeatable !== true) throw new ServiceError('unavailable', 'The COMMIT got no answer.');
    return store.transaction((tx) => work(tx, true), options);
  },
});
