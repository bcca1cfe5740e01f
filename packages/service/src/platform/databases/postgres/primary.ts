/** Finds the primary: the server that accepts writes on the newest timeline of its cluster. */
import { DatabaseError } from 'pg';
import { Lost } from '../lost.js';
import type { Link } from './link.js';

/** Identity of a server that accepts writes. */
export interface Identity {
  /** Cluster id, shared with standbys; '' if the role may not read it. */
  readonly system: string;
  /** Eight hex digits, incremented by each promotion; '' if the role may not read it. */
  readonly timeline: string;
  /**
   * There is no pooler: the connection keeps its settings and prepared statements, and its server stays the same. A
   * pooler reports its own process id.
   */
  readonly isDirect: boolean;
}

const writable = (timeline: string): string =>
  `case when pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' then null else ${timeline} end as timeline`;
const TIMELINE = writable('substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)');
/** Managed PostgreSQL may refuse the WAL functions; timelines are then not compared. */
const NO_TIMELINE = writable(`''`);

/** Column that a transaction selects in its first statement, so a pooler cannot switch servers in between. */
export function identityColumn(of: Identity): string {
  return `select ${of.timeline === '' ? NO_TIMELINE : TIMELINE}`;
}

/** @throws Lost if the server is a standby or read-only. */
export async function identify(link: Link): Promise<Identity> {
  const { pid, system, timeline } = accepted(await look(link));
  return { system, timeline, isDirect: pid === link.processId };
}

type Look = { timeline: string | null; system: string; pid: number };

async function look(link: Link): Promise<Look | undefined> {
  const PID = 'pg_backend_pid() as pid';
  try {
    const { rows } = await link.send(
      `select ${TIMELINE}, (select system_identifier::text from pg_control_system()) as system, ${PID}`,
    );
    return rows[0] as Look | undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { rows } = await link.send(`select ${NO_TIMELINE}, '' as system, ${PID}`);
    return rows[0] as Look | undefined;
  }
}

/** @throws Lost */
export function accepted<T extends { timeline: string | null }>(
  row: T | undefined,
): T & { timeline: string } {
  const timeline = row?.timeline;
  if (row === undefined || timeline === null || timeline === undefined)
    throw new Lost('The database server is a standby, or takes no writes.');
  return { ...row, timeline };
}

/** True if a newer primary has taken over. */
export function isStale(one: Identity, newest: Identity | undefined): boolean {
  return newest !== undefined && one.system === newest.system && one.timeline < newest.timeline;
}
