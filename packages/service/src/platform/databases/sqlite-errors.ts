/** Names of the SQLite result codes that we handle, from https://sqlite.org/rescode.html. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
  517: 'SQLITE_BUSY_SNAPSHOT',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/** The low byte of an extended result code is its primary code. */
const PRIMARY = 0xff;

/** Replaces the `code` of a `node:sqlite` error, which is always `ERR_SQLITE_ERROR`, with the result code's name. */
export function nameSqliteError(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')
    Object.assign(error, { code: CODES[error.errcode] ?? CODES[error.errcode & PRIMARY] ?? 'SQLITE_ERROR' });
  return error;
}

/** The disk is full or failing, or remounted read-only after a failure. */
export function isDiskError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)$/.test(String(error.code))
  );
}
