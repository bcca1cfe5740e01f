import { ServiceError } from '../src/core/error.js';
import type { Store } from '../src/core/store.js';

/** A database whose answer to a COMMIT is lost: what may be repeated is done again, as the real ones do it. */
export const losing = (store: Store): Store => ({
  ...store,
  transaction: async (work, options) => {
    await store.transaction(work, options);
    if (options?.repeatable !== true) throw new ServiceError('unavailable', 'The COMMIT got no answer.');
    return store.transaction((tx) => work(tx, true), options);
  },
});
