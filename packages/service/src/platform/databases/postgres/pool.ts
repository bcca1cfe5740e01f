/** Connection pool for whichever of several servers accepts writes. */
import { setTimeout as delay } from 'node:timers/promises';
import { Lost } from '../lost.js';
import { openLink, type Link } from './link.js';
import { identify, isStale, type Identity } from './primary.js';
import type { Server } from './servers.js';

export interface PoolOptions {
  /** Maximum number of connections. */
  readonly size: number;
  /** Statement timeout, ms. */
  readonly answerTimeoutMs: number;
}

export interface Pooled extends Link {
  readonly server: Server;
  /** The server's identity as of the last check; behind a pooler it can change with every transaction. */
  identity: Identity;
  /** A read has ended but its transaction is still open; the next statement sends the COMMIT first. */
  owesCommit: boolean;
}

export interface Pool {
  /** @throws Lost if no connection is free within three seconds. */
  acquire(): Promise<Pooled>;
  /** Returns a connection that has no pending statements. */
  release(link: Pooled): void;
  /** Acquires this specific connection; false if it is in use or closed. */
  takeOut(link: Pooled): boolean;
  /**
   * Records a server's timeline. Connections to servers with an older timeline end, even during a transaction.
   * @throws Lost if another server has taken over
   */
  noteTimeline(link: Pooled, timeline: string): void;
  /** Number of acquired connections. */
  used(): number;
  close(): Promise<void>;
}

const ACQUIRE_MS = 3_000;
const CONNECT_MS = 3_000;
/** How long to search for a server that accepts writes, ms; and the pause between attempts at one server. */
const LOOK_MS = 3_000;
const PAUSE_MS = 50;
/** How long other servers have to report a newer timeline once one accepts writes, ms. */
const OTHERS_MS = 250;
const IDLE_MS = 10_000;

interface Waiting {
  resolve(link: Pooled): void;
  reject(why: Lost): void;
}

export function createPool(servers: readonly Server[], { size, answerTimeoutMs }: PoolOptions): Pool {
  const links = new Set<Pooled>();
  const idle: { link: Pooled; timer: NodeJS.Timeout }[] = [];
  const waiting = new Set<Waiting>();
  let opening = 0;
  let newest: Identity | undefined;
  /** Server of the last good connection; undefined if it is no longer trusted. */
  let primary: Server | undefined;
  let unreachable: Lost | undefined;
  let closed = false;

  const drop = (link: Pooled, why: Lost): void => {
    links.delete(link);
    link.destroy(why);
  };

  const learn = (identity: Identity): void => {
    if (newest?.system === identity.system && newest.timeline >= identity.timeline) return;
    newest = identity;
    for (const link of links) if (isStale(link.identity, newest)) drop(link, takenOver());
  };

  const open = async (server: Server): Promise<Pooled> => {
    const link = await openLink(server, CONNECT_MS, CONNECT_MS);
    try {
      const identity = await identify(link);
      if (isStale(identity, newest)) throw takenOver();
      link.answerTimeoutMs = answerTimeoutMs;
      return Object.assign(link, { server, identity, owesCommit: false });
    } catch (error) {
      link.destroy(lost(error));
      throw error;
    }
  };

  /** Polls all servers: if two accept writes, one of them is a stale primary. */
  const look = async (): Promise<Pooled> => {
    const until = performance.now() + LOOK_MS;
    const found: Pooled[] = [];
    let over = false;
    const askAgain = async (server: Server): Promise<void> => {
      for (;;) {
        try {
          const link = await open(server);
          if (over) link.close();
          else found.push(link);
          return;
        } catch (error) {
          if (over || performance.now() > until || !lost(error).passing) throw error;
          await delay(PAUSE_MS);
        }
      }
    };
    const checks = servers.map(askAgain);
    const all = Promise.allSettled(checks);
    try {
      await Promise.any(checks);
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
    if (servers.length > 1) await Promise.race([all, delay(OTHERS_MS)]);
    over = true;
    const [best, ...others] = found.toSorted((one, other) =>
      other.identity.timeline < one.identity.timeline ? -1 : 1,
    );
    for (const link of others) link.close();
    return best as Pooled;
  };

  const grow = async (): Promise<void> => {
    opening += 1;
    try {
      const link = await (primary === undefined ? look() : open(primary));
      primary = link.server;
      unreachable = undefined;
      learn(link.identity);
      links.add(link);
      void link.ended.then(() => gone(link));
      settle(link);
    } catch (error) {
      primary = undefined;
      unreachable = lost(error);
      if (!unreachable.passing) for (const waiter of waiting) waiter.reject(unreachable);
      await delay(PAUSE_MS);
    } finally {
      opening -= 1;
      serve();
    }
  };

  /** Opens one connection at a time while the server is unreachable. */
  const mayGrow = (): boolean =>
    !closed && links.size + opening < size && (unreachable === undefined || opening === 0);

  /** Idle connections may be broken too, so the next search asks all servers. */
  const gone = (link: Pooled): void => {
    if (links.delete(link) && primary === link.server) {
      primary = undefined;
      for (const { link: other, timer } of idle.splice(0)) {
        clearTimeout(timer);
        links.delete(other);
        other.close();
      }
    }
    serve();
  };

  const serve = (): void => {
    for (const waiter of waiting) {
      const free = takeIdle();
      if (free === undefined) break;
      waiter.resolve(free);
    }
    for (let wanted = waiting.size - opening; wanted > 0 && mayGrow(); wanted--) void grow();
  };

  const takeIdle = (): Pooled | undefined => {
    for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.link.isOpen) return entry.link;
    }
    return undefined;
  };

  const settle = (link: Pooled): void => {
    if (!link.isOpen) return;
    if (closed) return link.close();
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((entry) => entry.link === link),
        1,
      );
      links.delete(link);
      link.close();
    }, IDLE_MS);
    idle.push({ link, timer: timer.unref() });
    serve();
  };

  return {
    acquire: () => {
      const free = takeIdle();
      if (free !== undefined) return Promise.resolve(free);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
        };
        const waiter: Waiting = {
          resolve: (link) => {
            leave();
            resolve(link);
          },
          reject: (why) => {
            leave();
            reject(why);
          },
        };
        const timer = setTimeout(
          () =>
            waiter.reject(
              unreachable ?? new Lost(`No connection to the database was free within ${ACQUIRE_MS} ms.`),
            ),
          ACQUIRE_MS,
        );
        waiting.add(waiter);
        serve();
      });
    },
    release: settle,
    takeOut: (link) => {
      const at = idle.findIndex((entry) => entry.link === link);
      if (at < 0) return false;
      clearTimeout(idle.splice(at, 1)[0]?.timer);
      return link.isOpen;
    },
    noteTimeline: (link, timeline) => {
      if (timeline !== link.identity.timeline) link.identity = { ...link.identity, timeline };
      if (isStale(link.identity, newest)) throw takenOver();
      learn(link.identity);
    },
    used: () => links.size - idle.length,
    close: async () => {
      closed = true;
      for (const waiter of waiting) waiter.reject(new Lost('The service is stopping.'));
      for (let link = takeIdle(); link !== undefined; link = takeIdle()) link.close();
      await Promise.all([...links].map((link) => link.ended));
    },
  };
}

const takenOver = (): Lost => new Lost('Another database server has taken over from this one.');

function lost(error: unknown): Lost {
  return error instanceof Lost ? error : new Lost(String(error), { cause: error });
}
