import { ServiceError } from '../../core/error.js';
import type { Connection, DatabaseOptions } from './connection.js';

/** Loads only the engine it needs, and neither reads nor writes. @throws ServiceError `database_unavailable` */
export async function connect(database: string, options: DatabaseOptions = {}): Promise<Connection> {
  checkAddress(database);
  if (isPostgres(database)) return (await import('./postgres.js')).connectPostgres(database, options);
  return (await import('./sqlite.js')).connectSqlite(database, options);
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** A scheme (not a drive letter), with or without colon, a password before a host, or `password=…`. */
const URL_LIKE = /^\s*["']?[a-z][\w+.-]+:|^\s*["']?\w+\/\/|:\/\/|:.*@|\b(?:password|passwd|pwd)\s*=/is;

/** An `@` behind a `/`, `?` or `#`, which end the host: part of the password would become a host name. */
const SPLIT_PASSWORD = /^\w+:\/\/[^/?#]*[/?#].*@/s;

/**
 * Refuses a mistyped URL, which would otherwise become a file name, and one whose password isn't percent-encoded. Doesn't
 * quote it, because it may contain a password.
 * @throws ServiceError `database_unavailable`
 */
export function checkAddress(database: string): void {
  if (isPostgres(database)) {
    if (!SPLIT_PASSWORD.test(database)) return;
    throw new ServiceError(
      'database_unavailable',
      'The database address has an @ behind a /, ? or #. Percent-encode special characters of the password and the parameters: @ as %40, / as %2F, ? as %3F, # as %23, % as %25.',
    );
  }
  if (!URL_LIKE.test(database)) return;
  throw new ServiceError(
    'database_unavailable',
    'The database address is neither a file nor a URL that begins with postgres:// or postgresql://. Correct its beginning; for a file whose name contains a colon, put ./ in front.',
  );
}
