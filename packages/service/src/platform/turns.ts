import { setImmediate } from 'node:timers/promises';
import { unavailable } from '../core/error.js';
import type { Store } from '../core/store.js';
import { Slots } from './slots.js';
import type { TimeLimit } from './timeouts.js';

/** Requests at the database at the same time, per process. Enough to keep it busy. */
const TURNS = 32;

/** The same for large ones. Each takes up to 50 ms, and SQLite serves requests in the order in which they arrive. */
const LARGE_TURNS = 4;

/** Turns of the event loop in which other requests may begin before a large one does. */
const LEFT_TO_OTHERS = 16;

/** Large requests that are parsed and not yet committed: each may take 6 MB. */
const PARSED = 8;

export interface Turn {
  /** An API key or a business unit. */
  readonly owner: string;
  isLarge: boolean;
}

/** Thrown by a transaction that finds out how large it is. It begins again in a large turn. */
export class NeedsLargeTurn extends Error {}

/** Owners take turns at the database, so that one's many requests don't delay another's. */
export class Turns {
  readonly #turns = new Slots(TURNS);
  readonly #large = new Slots(LARGE_TURNS);
  readonly #parsed = new Slots(PARSED);

  /** Resolves, once a large request may be parsed, to the function to call when it is committed or refused. */
  async parse(owner: string, { wait }: TimeLimit): Promise<() => void> {
    const taken = this.#parsed.take(owner);
    try {
      return await wait(taken);
    } catch (error) {
      void taken.then((release) => release());
      throw error;
    }
  }

  /** A store whose transactions wait for a turn. They don't begin if the time is up by then. */
  storeOf(store: Store, turn: Turn, { isUp }: TimeLimit): Store {
    const begin = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let count = 0; turn.isLarge && count < LEFT_TO_OTHERS; count++) await setImmediate();
      if (isUp()) throw unavailable(new Error('no turn in time'));
      return work();
    };
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!turn.isLarge)
        try {
          return await this.#turns.run(turn.owner, () => begin(work));
        } catch (error) {
          if (!(error instanceof NeedsLargeTurn)) throw error;
          turn.isLarge = true;
        }
      return this.#large.run(turn.owner, () => begin(work));
    };
    return {
      ...store,
      transaction: (work, options) => inTurn(() => store.transaction(work, options)),
      read: (work) => inTurn(() => store.read(work)),
    };
  }
}
