import { announce } from '../webhooks/announce.js';
import type { TxContext } from '../core/store.js';
import type { Deps } from '../deps.js';
import type { ItemRunner } from '../platform/item-runner.js';
import { transition } from '../sessions/rules/session.js';

/** Sessions expired concurrently. One by one, they would expire more slowly than the rate limit lets one key create them. */
const AT_ONCE = 5;

/** expires sessions. Resolves to the number expired. */
export async function expireDue({ store, clock, newId }: Deps, runner: ItemRunner): Promise<number> {
  const at: TxContext = { now: clock.now(), newId };
  return runner.each({
    find: (limit) => store.read((tx) => tx.sessions.due(at.now, limit)),
    limit: 100,
    atOnce: AT_ONCE,
    about: ({ id }) => ({ sessionId: id }),
    work: ({ id }) =>
      store.transaction(async (tx) => {
        const session = await tx.sessions.get(id);
        if (!session) return false;

        const next = transition(session, 'expired', at.now);
        if (typeof next === 'string') return true;

        await tx.sessions.update(next);
        await announce(tx, 'session.expired', next, at, {});
        return true;
      }),
  });
}
