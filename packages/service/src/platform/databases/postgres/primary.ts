/** Finds the primary: the server that accepts writes on the newest timeline of its cluster. */
import { DatabaseError } from 'pg';
import { Lost } from '../lost.js';
import type { Link } from './link.js';

/** Identity of a server that accepts writes. */
export interface Identity {
  /** The cluster's id, shared with standbys; '' if the role may not read it. */
  readonly system: string;
  /** Eight hex digits, incremented by each promotion; '' if the role may not read it. */
  readonly timeline: string;
  /**
   * No pooler: the connection keeps its server, settings and prepared statements. A
   * pooler reports its own process id.
   */
  readonly isDirect: boolean;
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

/** @throws Lost if the server is a standby or read-only. */
export async function identify(link: Link): Promise<Identity> {
  const { pid, system, timeline } = accepted(await look(link));
  return { system, timeline, isDirect: pid === link.processId };
}

type ServerState = { timeline: string | null; system: string; pid: number };

async function look(link: Link): Promise<ServerState | undefined> {
  const PID = 'pg_backend_pid() as pid';
  try {
    const { rows } = await link.send(
      `select ${TIMELINE}, (select system_identifier::text from pg_control_system()) as system, ${PID}`,
    );
    return rows[0] as ServerState | undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { rows } = await link.send(`select ${NO_TIMELINE}, '' as system, ${PID}`);
    return rows[0] as ServerState | undefined;
  }
}

/** @throws Lost */
export function accepted<T extends { timeline: string | null }>(
  row: T | undefined,
): T & { timeline: string } {
  const timeline = row?.timeline;
  if (row === undefined || timeline === null || timeline === undefined)
    throw new Lost('The database server is a standby or read-only.');
  return { ...row, timeline };
}

/** Whether a newer primary has taken over. */
export function isStale(one: Identity, newest: Identity | undefined): boolean {
  return newest !== undefined && one.system === newest.system && one.timeline < newest.timeline;
}
