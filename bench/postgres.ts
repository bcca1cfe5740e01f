/** Connections to a PostgreSQL database, and the process id of its server. */
import { createRequire } from 'node:module';
import { parentOf } from './measure.js';

const ofService = createRequire(new URL('../packages/service/package.json', import.meta.url));

/** A connection to a database. */
export interface Pg {
  connect(): Promise<void>;
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

export async function connectTo(url: string): Promise<Pg> {
  const { Client } = ofService('pg') as { Client: new (url: string) => Pg };
  const client = new Client(url);
  await client.connect();
  return client;
}

/** The process id of the PostgreSQL server behind a database. */
export async function serverPid(url: string): Promise<number> {
  const client = await connectTo(url);
  const [backend] = (await client.query('select pg_backend_pid() as pid')).rows;
  // While it is connected, because its backend ends with the connection.
  const server = parentOf(Number(backend?.['pid']));
  await client.end();
  return server;
}
