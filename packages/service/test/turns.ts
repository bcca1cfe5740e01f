/** Counts round trips to PostgreSQL. Anything sent after a response counts as a new one. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Turns {
  /** Address of the proxy to the database. */
  readonly database: string;
  /** Round trips since the last call. */
  take(): number;
  stop(): void;
}

/** Delay of responses, ms, so that everything that doesn't wait for them is sent first. */
const FAR_AWAY_MS = 5;

export async function countTurns(database: string): Promise<Turns> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let isAnswered = true;
    near.on('data', (bytes) => {
      if (isAnswered) turns += 1;
      isAnswered = false;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      setTimeout(() => {
        isAnswered = true;
        near.write(bytes);
      }, FAR_AWAY_MS);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.once('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  return {
    database: url.href,
    take: () => {
      const taken = turns;
      turns = 0;
      return taken;
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
