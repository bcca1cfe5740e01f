/** Parses the servers of a database address like libpq: `postgres://user@one:5432,two:5432/name`. */

export interface Server {
  /** Connection string for this server only. */
  readonly connectionString: string;
}

/**
 * The pool uses the server that accepts writes, as with `target_session_attrs=read-write`. That parameter is allowed and
 * has no effect.
 *
 * @example
 * serversOf('postgres://app@db1,db2:5433/pay').length; // 2
 */
export function serversOf(database: string): readonly Server[] {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/s.exec(database) ?? [];
  const at = authority.lastIndexOf('@') + 1;
  const hosts = authority.slice(at).split(',');
  const [path, query] = splitAt(rest, rest.indexOf('?'));
  const parameters = new URLSearchParams(query);
  const named = parameters.get('host')?.split(',') ?? [];
  if (named.length === 0)
    return hosts.map((host) => ({
      connectionString: `${scheme}${authority.slice(0, at)}${host}${rest}`,
    }));

  const ports = parameters.get('port')?.split(',') ?? [];
  return named.map((host, index) => {
    const own = new URLSearchParams(parameters);
    own.set('host', host);
    const port = ports[index] ?? ports[0];
    if (port !== undefined) own.set('port', port);
    return { connectionString: `${scheme}${authority}${path}?${own.toString()}` };
  });
}

function splitAt(text: string, index: number): [string, string] {
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
