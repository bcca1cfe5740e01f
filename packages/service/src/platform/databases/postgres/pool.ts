/** Connection pool for the one of several servers that accepts writes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { StatementConnection } from '../kysely-on.js';
import { Lost } from '../lost.js';
import type { Tables } from '../tables.js';
import { openLink, type Link } from './link.js';
import { identify, isStale, type Identity } from './primary.js';
import type { Server } from './servers.js';

export interface PoolOptions {
  /** Maximum number of connections. */
  readonly size: number;
  /** Statement timeout, ms. */
  readonly answerTimeoutMs: number;
  /** Statements to run on a new connection, unless a pooler would leak their settings to others. */
  readonly settings: readonly string[];
}

export type Pooled = Link & {
  readonly server: Server;
  /** The server's identity at the last check. Behind a pooler, it can change with every transaction. */
  identity: Identity;
  /** A finished read whose transaction is still open: the next statement sends the COMMIT first. */
  owesCommit: boolean;
  /** Kysely's transaction, created once. */
  tx?: Transaction<Tables>;
  /** Runs the statements of the current transaction. */
  current?: StatementConnection;
};

const ACQUIRE_MS = 3_000;
const CONNECT_MS = 3_000;
/** Time limit of the search for a server that accepts writes, and the pause between attempts per server, ms. */
const SEARCH_MS = 3_000;
const PAUSE_MS = 50;
/** Time to wait for other servers' timelines once one accepts writes, ms. */
const OTHERS_MS = 250;
const IDLE_MS = 10_000;

interface Waiter {
  resolve(link: Pooled): void;
  reject(why: Lost): void;
}

export class Pool {
  readonly #servers: readonly Server[];
  readonly #options: PoolOptions;
  readonly #links = new Set<Pooled>();
  readonly #idle: { link: Pooled; timer: NodeJS.Timeout }[] = [];
  readonly #waiters = new Set<Waiter>();
  #opening = 0;
  #newest: Identity | undefined;
  /** The last good connection's server; undefined if it is no longer trusted. */
  #primary: Server | undefined;
  #unreachable: Lost | undefined;
  #isClosed = false;

  constructor(servers: readonly Server[], options: PoolOptions) {
    this.#servers = servers;
    this.#options = options;
  }

  /** @throws Lost if no connection is free within three seconds. */
  acquire(): Promise<Pooled> {
    const free = this.#takeIdle();
    if (free !== undefined) return Promise.resolve(free);

    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        resolve: (link) => {
          leave();
          resolve(link);
        },
        reject: (why) => {
          leave();
          reject(why);
        },
      };
      const timer = setTimeout(() => waiter.reject(this.#unreachable ?? noneFree()), ACQUIRE_MS);
      this.#waiters.add(waiter);
      this.#serve();
    });
  }

  /** Returns a connection that has no pending statements. */
  release(link: Pooled): void {
    if (this.#isClosed || !link.isOpen) return link.close();

    const timer = setTimeout(() => this.#retire(link), IDLE_MS);
    this.#idle.push({ link, timer: timer.unref() });
    this.#serve();
  }

  /** Acquires this connection. Returns false if it is in use or closed. */
  takeOut(link: Pooled): boolean {
    const entry = this.#removeIdle(link);
    clearTimeout(entry?.timer);
    return entry !== undefined && link.isOpen;
  }

  /**
   * Records a server's timeline. Ends connections to servers with an older timeline, even during a transaction.
   * @throws Lost if another server has taken over
   */
  noteTimeline(link: Pooled, timeline: string): void {
    if (timeline !== link.identity.timeline) link.identity = { ...link.identity, timeline };
    if (isStale(link.identity, this.#newest)) throw takenOver();
    this.#learn(link.identity);
  }

  /** Number of acquired connections. */
  used(): number {
    return this.#links.size - this.#idle.length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.reject(new Lost('The service is stopping.'));
    for (let link = this.#takeIdle(); link !== undefined; link = this.#takeIdle()) link.close();
    await Promise.all([...this.#links].map((link) => link.ended));
  }

  #takeIdle(): Pooled | undefined {
    for (let entry = this.#idle.pop(); entry !== undefined; entry = this.#idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.link.isOpen) return entry.link;
    }
    return undefined;
  }

  #removeIdle(link: Pooled): { readonly timer: NodeJS.Timeout } | undefined {
    const at = this.#idle.findIndex((entry) => entry.link === link);
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0];
  }

  /** Closes a connection that has been idle for too long. */
  #retire(link: Pooled): void {
    this.#removeIdle(link);
    this.#links.delete(link);
    link.close();
  }

  /** Hands idle connections to waiters and opens more. */
  #serve(): void {
    for (const waiter of this.#waiters) {
      const free = this.#takeIdle();
      if (free === undefined) break;
      waiter.resolve(free);
    }
    for (let wanted = this.#waiters.size - this.#opening; wanted > 0 && this.#mayGrow(); wanted--)
      void this.#grow();
  }

  /** Opens only one connection at a time while the server is unreachable. */
  #mayGrow(): boolean {
    const isFull = this.#links.size + this.#opening >= this.#options.size;
    return !this.#isClosed && !isFull && (this.#unreachable === undefined || this.#opening === 0);
  }

  async #grow(): Promise<void> {
    this.#opening += 1;
    try {
      const link = await (this.#primary === undefined ? this.#search() : this.#open(this.#primary));
      this.#primary = link.server;
      this.#unreachable = undefined;
      this.#learn(link.identity);
      this.#links.add(link);
      void link.ended.then(() => this.#forget(link));
      this.release(link);
    } catch (error) {
      this.#primary = undefined;
      this.#unreachable = lost(error);
      if (!this.#unreachable.passing) for (const waiter of this.#waiters) waiter.reject(this.#unreachable);
      await delay(PAUSE_MS);
    } finally {
      this.#opening -= 1;
      this.#serve();
    }
  }

  async #open(server: Server): Promise<Pooled> {
    const { answerTimeoutMs, settings } = this.#options;
    const link = await openLink(server, CONNECT_MS, CONNECT_MS);
    try {
      const identity = await identify(link);
      if (isStale(identity, this.#newest)) throw takenOver();
      if (identity.isDirect) await link.sendAll(settings);
      link.answerTimeoutMs = answerTimeoutMs;
      return Object.assign(link, { server, identity, owesCommit: false });
    } catch (error) {
      link.destroy(lost(error));
      throw error;
    }
  }

  /** Polls all servers: if two accept writes, one of them is a stale primary. */
  async #search(): Promise<Pooled> {
    const until = performance.now() + SEARCH_MS;
    const found: Pooled[] = [];
    let isOver = false;
    const openUntilFound = async (server: Server): Promise<void> => {
      for (;;) {
        try {
          const link = await this.#open(server);
          if (isOver) link.close();
          else found.push(link);
          return;
        } catch (error) {
          const mayTryAgain = !isOver && !this.#isClosed && performance.now() <= until;
          if (!mayTryAgain || !lost(error).passing) throw error;
          await delay(PAUSE_MS);
        }
      }
    };
    const searches = this.#servers.map(openUntilFound);
    const all = Promise.allSettled(searches);
    try {
      await Promise.any(searches);
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
    if (this.#servers.length > 1) await Promise.race([all, delay(OTHERS_MS)]);
    isOver = true;
    const [best, ...others] = found.toSorted((one, other) =>
      other.identity.timeline < one.identity.timeline ? -1 : 1,
    );
    for (const link of others) link.close();
    return best as Pooled;
  }

  #learn(identity: Identity): void {
    if (this.#newest?.system === identity.system && this.#newest.timeline >= identity.timeline) return;
    this.#newest = identity;
    for (const link of this.#links) if (isStale(link.identity, identity)) this.#drop(link);
  }

  #drop(link: Pooled): void {
    this.#links.delete(link);
    link.destroy(takenOver());
  }

  /** Idle connections may be broken too, so search all servers next time. */
  #forget(link: Pooled): void {
    if (this.#links.delete(link) && this.#primary === link.server) {
      this.#primary = undefined;
      for (const { link: other, timer } of this.#idle.splice(0)) {
        clearTimeout(timer);
        this.#links.delete(other);
        other.close();
      }
    }
    this.#serve();
  }
}

const takenOver = (): Lost => new Lost('Another database server has taken over from this one.');
const noneFree = (): Lost => new Lost(`No connection to the database was free within ${ACQUIRE_MS} ms.`);

function lost(error: unknown): Lost {
  return error instanceof Lost ? error : new Lost(String(error), { cause: error });
}
