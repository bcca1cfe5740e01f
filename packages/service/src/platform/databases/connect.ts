import type { Connection, DatabaseOptions } from './connection.js';

/** Connects to `FILE`, `:memory:` or `postgres://…` without reading or writing. Loads only the engine it needs. */
export async function connect(database: string, options: DatabaseOptions = {}): Promise<Connection> {
  if (isPostgres(database)) return (await import('./postgres.js')).connectPostgres(database, options);
  return (await import('./sqlite.js')).connectSqlite(database);
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}
