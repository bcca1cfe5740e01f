/** Connection pool for the primary: the server that accepts writes on the newest timeline of its cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool as DriverPool, DatabaseError } from 'pg';
import { Lost } from '../retry.js';
import { Link, toLost, type Identity } from './link.js';

export interface PoolOptions {
  readonly size: number;
  readonly answerTimeoutMs: number;
  /** Statements to run on a new connection, unless a pooler would leak their settings to others. */
  readonly settings: readonly string[];
}

/** Time limit of waiting for a free connection, of opening one, and of its first statements, ms. */
const CONNECT_MS = 3_000;
/** Time limit of the search for a server that accepts writes, and the pause between attempts per server, ms. */
const SEARCH_MS = 2_000;
const PAUSE_MS = 50;
/** Time to wait for other servers' timelines once one accepts writes, ms. */
const OTHERS_MS = 250;

export class Pool {
  readonly #servers: readonly string[];
  readonly #options: PoolOptions;
  readonly #pool: DriverPool;
  /** The primary's address; undefined until a server is trusted. */
  #primary: Promise<string> | undefined;
  #newest: Identity | undefined;
  /** Connections of earlier epochs are closed instead of used again. */
  #epoch = 0;

  constructor(servers: readonly string[], options: PoolOptions) {
    this.#servers = servers;
    this.#options = options;
    this.#pool = new DriverPool({
      Client: Link,
      max: options.size,
      connectionTimeoutMillis: CONNECT_MS,
      // oxlint-disable-next-line no-misused-promises -- the pool waits for it, but its types don't say so
      onConnect: (client) => this.#admit(client as Link),
    });
    this.#pool.on('error', (_, client) => this.#distrustServerOf(client as Link));
  }

  /** @throws Lost if no connection is free within three seconds. */
  async acquire(): Promise<Link> {
    try {
      this.#pool.options.connectionString = await (this.#primary ??= this.#findPrimary());
      for (;;) {
        const link = (await this.#pool.connect()) as Link;
        if (this.#isCurrent(link)) return link;
        this.discard(link);
      }
    } catch (error) {
      this.#primary = undefined;
      throw connectionLost(error);
    }
  }

  /** Returns a connection that has no pending statements. */
  release(link: Link): void {
    if (!link.isOpen) this.#distrustServerOf(link);
    if (!this.#isCurrent(link)) return this.discard(link);

    link.limitAnswers(this.#options.answerTimeoutMs);
    link.release();
  }

  discard(link: Link): void {
    link.destroy();
    link.release(true);
  }

  /** Checks the server that a pooler has chosen. @throws Lost if it isn't the primary */
  checkServer(link: Link, { timeline }: TimelineRow): void {
    this.#use(link, { ...(link.identity as Identity), timeline: accepted(timeline) });
  }

  used(): number {
    return this.#pool.totalCount - this.#pool.idleCount;
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** The driver would wait for the server when it ends a refused connection, so this destroys it. */
  async #admit(link: Link): Promise<void> {
    try {
      this.#use(link, await identify(link));
      if (link.isDirect) await link.sendAll(this.#options.settings);
    } catch (error) {
      link.destroy();
      throw error;
    }
    link.limitAnswers(this.#options.answerTimeoutMs);
    link.epoch = this.#epoch;
  }

  #use(link: Link, identity: Identity): void {
    if (isStale(identity, this.#newest))
      throw new Lost('Another database server has taken over from this one.');
    if (this.#newest !== undefined && isStale(this.#newest, identity)) this.#epoch += 1;
    this.#newest = identity;
    link.identity = identity;
  }

  #isCurrent(link: Link): boolean {
    return link.isOpen && link.epoch === this.#epoch;
  }

  /** The connection broke, so the others may be broken too, and another server may have taken over. */
  #distrustServerOf(link: Link): void {
    if (link.epoch !== this.#epoch) return;

    this.#primary = undefined;
    this.#epoch += 1;
  }

  /** Polls all servers: if two accept writes, one of them is a stale primary. */
  async #findPrimary(): Promise<string> {
    const [only, ...others] = this.#servers as [string];
    if (others.length === 0) return only;

    const until = performance.now() + SEARCH_MS;
    const found: { server: string; timeline: string }[] = [];
    const search = async (server: string): Promise<void> => {
      for (;;) {
        try {
          found.push({ server, timeline: await timelineOf(server) });
          return;
        } catch (error) {
          const isOver = found.length > 0 || performance.now() > until;
          if (isOver || !connectionLost(error).transient) throw error;
          await delay(PAUSE_MS);
        }
      }
    };
    const searches = this.#servers.map(search);
    await Promise.any(searches).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    await Promise.race([Promise.allSettled(searches), delay(OTHERS_MS)]);
    found.sort((one, other) => (other.timeline < one.timeline ? -1 : 1));
    return (found[0] as (typeof found)[0]).server;
  }
}

async function timelineOf(server: string): Promise<string> {
  const link = new Link({ connectionString: server, connectionTimeoutMillis: SEARCH_MS });
  try {
    await link.connect();
    return (await identify(link)).timeline;
  } finally {
    link.destroy();
  }
}

/** An error while connecting, such as a wrong password, concerns the database, not a statement. */
function connectionLost(error: unknown): Lost {
  const why = toLost(error);
  return why instanceof Lost ? why : new Lost((why as Error).message, { transient: false, cause: error });
}

const writable = (timeline: string): string =>
  `case when pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' then null else ${timeline} end as timeline`;
const TIMELINE = writable('substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)');
/** Managed PostgreSQL may refuse the WAL functions. Timelines are not compared then. */
const NO_TIMELINE = writable(`''`);

/** The column that each transaction's first statement selects, so that a pooler can't switch servers unnoticed. */
export function identityColumn(of: Identity): string {
  return `select ${of.timeline === '' ? NO_TIMELINE : TIMELINE}`;
}

export async function identify(link: Link): Promise<Identity> {
  const select = async (columns: string): Promise<ServerState> =>
    (await link.send(`select ${columns}, pg_backend_pid() as pid`)).rows[0] as ServerState;
  const all = `${TIMELINE}, (select system_identifier::text from pg_control_system()) as system`;
  const { timeline, system, pid } = await select(all).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    return select(`${NO_TIMELINE}, '' as system`);
  });
  return { system, timeline: accepted(timeline), isDirect: pid === link.processID };
}

/** A row that {@link identityColumn} selects. Null at a server that doesn't accept writes. */
export interface TimelineRow {
  readonly timeline: string | null;
}

type ServerState = TimelineRow & { readonly system: string; readonly pid: number };

export function accepted(timeline: string | null): string {
  if (timeline === null) throw new Lost('The database server is a standby or read-only.');
  return timeline;
}

export function isStale(one: Identity, newest: Identity | undefined): boolean {
  return newest !== undefined && one.system === newest.system && one.timeline < newest.timeline;
}
