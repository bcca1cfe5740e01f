/** Which server may be written to: the one that accepts writes in the newest history of its cluster. */
import { DatabaseError } from 'pg';
import { Lost } from '../lost.js';
import type { Link } from './link.js';

/** What a server that accepts writes says of itself. */
export interface Identity {
  /** Of the cluster, the same on its standbys; '' where the role may not ask. */
  readonly system: string;
  /** Eight hex digits, one more after each promotion; '' where the role may not ask. */
  readonly timeline: string;
}

const writable = (timeline: string): string =>
  `case when pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' then null else ${timeline} end as timeline`;
const TIMELINE = writable('substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)');
/** Managed PostgreSQL may refuse the functions above: one history is taken for another there. */
const NO_TIMELINE = writable(`''`);

/** What a transaction asks in the statement that begins it, so that no pooler can put another server in between. */
export function identityColumn(of: Identity): string {
  return `select ${of.timeline === '' ? NO_TIMELINE : TIMELINE}`;
}

/** @throws Lost where the server is a standby or takes no writes. */
export async function identify(link: Link): Promise<Identity> {
  try {
    const { rows } = await link.send(
      `select ${TIMELINE}, (select system_identifier::text from pg_control_system()) as system`,
    );
    return accepted(rows[0]);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { rows } = await link.send(`select ${NO_TIMELINE}, '' as system`);
    return accepted(rows[0]);
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

/** True of what one wrote before another server took over. */
export function isStale(one: Identity, newest: Identity | undefined): boolean {
  return newest !== undefined && one.system === newest.system && one.timeline < newest.timeline;
}
