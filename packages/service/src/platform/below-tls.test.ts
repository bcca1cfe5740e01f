import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { BelowTls } from './below-tls.js';

const CONNECTIONS = 5;
const COST_MS = 12;

it(
  'R-91 passes on one piece of all connections per turn if it is costly, and then pauses',
  { tags: ['thorough'] },
  async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(Buffer.alloc(20_000));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    let turn = 0;
    let isRunning = true;
    const count = (): void => {
      turn += 1;
      if (isRunning) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    const begunAt: number[] = [];
    const read = async (): Promise<number> => {
      const connection = new BelowTls({ port: (server.address() as AddressInfo).port });
      connection.begin(100_000);
      let bytes = 0;
      connection.on('data', (piece: Uint8Array) => {
        turns.push(turn);
        bytes += piece.length;
        begunAt.push(performance.now());
        const end = performance.now() + COST_MS;
        while (performance.now() < end);
      });
      await new Promise((closed) => connection.on('close', closed));
      return bytes;
    };
    const bytes = await Promise.all(Array.from({ length: CONNECTIONS }, read));
    expect(bytes).toEqual(Array.from({ length: CONNECTIONS }, () => 20_000));
    isRunning = false;
    expect(new Set(turns).size).toBe(turns.length);
    const apart = begunAt.slice(1).map((time, place) => time - (begunAt[place] ?? 0));
    // Timers have whole milliseconds.
    expect(Math.min(...apart)).toBeGreaterThan(2 * COST_MS - 2);
    await new Promise((closed) => server.close(closed));
  },
);
