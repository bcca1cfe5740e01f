/**
 * Addresses of the servers of `postgres://user@one:5432,two:5432/name`, one each. The pool uses the one that accepts
 * writes, as with libpq's `target_session_attrs=read-write`. That parameter is allowed and has no effect.
 *
 * @example
 * serversOf('postgres://app@db1,db2:5433/pay'); // ['postgres://app@db1/pay', 'postgres://app@db2:5433/pay']
 */
export function serversOf(database: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(database) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}
