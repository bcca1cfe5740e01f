/** Finds the primary: the server that accepts writes on the newest timeline of its cluster. */
import { DatabaseError } from 'pg';
import { Lost } from '../lost.js';
import type { Identity, Link } from './link.js';

const writable = (timeline: string): string =>
  `case when pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' then null else ${timeline} end as timeline`;
const TIMELINE = writable('substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)');
/** Managed PostgreSQL may refuse the WAL functions. Timelines are not compared then. */
const NO_TIMELINE = writable(`''`);

/** The column that each transaction's first statement selects, so that a pooler can't switch servers unnoticed. */
export function identityColumn(of: Identity): string {
  return `select ${of.timeline === '' ? NO_TIMELINE : TIMELINE}`;
}

/** @throws Lost if the server is a standby or read-only. */
export async function identify(link: Link): Promise<Identity> {
  const { timeline, system, pid } = await look(link);
  return { system, timeline: accepted(timeline), isDirect: pid === link.processID };
}

/** A row that {@link identityColumn} selects. Null at a server that doesn't accept writes. */
export interface TimelineRow {
  readonly timeline: string | null;
}

type ServerState = TimelineRow & { readonly system: string; readonly pid: number };

async function look(link: Link): Promise<ServerState> {
  const select = async (columns: string): Promise<ServerState> =>
    (await link.send(`select ${columns}, pg_backend_pid() as pid`)).rows[0] as ServerState;
  try {
    return await select(`${TIMELINE}, (select system_identifier::text from pg_control_system()) as system`);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return select(`${NO_TIMELINE}, '' as system`);
  }
}

/** @throws Lost if the server doesn't accept writes */
export function accepted(timeline: string | null): string {
  if (timeline === null) throw new Lost('The database server is a standby or read-only.');
  return timeline;
}

/** Whether a newer primary has taken over. */
export function isStale(one: Identity, newest: Identity | undefined): boolean {
  return newest !== undefined && one.system === newest.system && one.timeline < newest.timeline;
}
