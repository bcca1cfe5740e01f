/** The connections of a server: in what turn they are answered, and when one of them is ended. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Connections {
  /** What a connection has asked and has no whole answer to yet, in the order in which it did. */
  readonly asked: (socket: Socket) => Iterable<ServerResponse>;
  /**
   * Begins a request's answer when all before it on its connection have been taken: whoever asks and does not read has
   * one answer kept. Never, where there are too many of them, or the connection ends before.
   */
  inTurn(request: IncomingMessage, answer: ServerResponse, begin: () => void): void;
  /**
   * Takes no new ones, and resolves when there are none any more.
   * @param until as `performance.now()` tells it
   * @param lingerMs how long one that is idle may still bring a request
   */
  drain(until: number, lingerMs?: number): Promise<void>;
}

/** Requests of a connection that may have come ahead of their answers. No client that is known here sends two. */
const MOST_AHEAD = 100;
/** Times that a request has to arrive whole in which its answer has to be taken. */
const TAKEN_WITHIN = 6;
/** In which a head that has begun to come when it stops has to be whole, and a body. */
const REST_OF_HEAD_MS = 1_000;
const REST_OF_BODY_MS = 5_000;

/** To be called before anything else listens. @param receiveMs in which a request has to arrive whole */
export function connectionsOf(server: Server, receiveMs: number): Connections {
  const open = new Set<Socket>();
  const asked = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      asked.delete(socket);
    });
  });
  let draining = false;
  server.on('request', ({ socket }, answer) => {
    if (socket.destroyed) return;
    if (draining) answer.setHeader('connection', 'close');
    const answers = asked.get(socket) ?? new Set();
    asked.set(socket, answers.add(answer));
    answer.once('close', () => {
      answers.delete(answer);
      if (answers.size === 0) asked.delete(socket);
    });
    if (answers.size > MOST_AHEAD) socket.destroy();
  });

  /** Since when an answer is on its way, and how much of its connection's had been taken then. */
  const onTheirWay = new WeakMap<ServerResponse, { readonly since: number; readonly taken: number }>();
  const endUntaken = (): void => {
    const now = performance.now();
    for (const [socket, [answer]] of asked) {
      if (answer === undefined || answer.writableLength === 0) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const before = onTheirWay.get(answer);
      if (before === undefined || before.taken < taken) onTheirWay.set(answer, { since: now, taken });
      else if (now - before.since > receiveMs * TAKEN_WITHIN) socket.destroy();
    }
  };
  const looking = setInterval(endUntaken, receiveMs / 4).unref();
  server.once('close', () => clearInterval(looking));

  /**
   * A browser connects ahead of what it may ask: to Node that is as good as a request on its way, and so is half a head.
   * @param ms since the stop: what has begun to come has some time to be whole
   */
  const endUnused = (ms: number): void => {
    for (const socket of open) {
      const answers = asked.get(socket);
      const isLate = answers
        ? ms >= REST_OF_BODY_MS && [...answers].every(({ req }) => !req.complete)
        : ms >= REST_OF_HEAD_MS;
      if (socket.bytesRead === 0 || isLate) socket.destroy();
    }
  };

  return {
    asked: (socket) => asked.get(socket) ?? [],
    inTurn: ({ socket }, answer, begin) => {
      if (socket.destroyed) return;
      const answers = [...(asked.get(socket) ?? [])];
      const before = answers[answers.indexOf(answer) - 1];
      if (before === undefined) begin();
      // After whatever others have asked meanwhile: a hundred at once would make them wait.
      else before.once('close', () => setImmediate(() => socket.destroyed || begin()));
    },
    drain: async (until, lingerMs = 0) => {
      draining = true;
      for (const answers of asked.values()) {
        const last = [...answers].at(-1);
        if (last?.headersSent === false) last.setHeader('connection', 'close');
      }
      // Of HTTP's own, `close` ends at once what is idle: a request may be on its way there.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const from = performance.now();
      while (open.size > 0 && performance.now() < Math.min(from + lingerMs, until)) await delay(20);
      server.close();
      // A kept-alive connection becomes idle only when its last answer is out, and nothing tells when.
      for (let isOpen = true; isOpen;) {
        if (performance.now() >= until) server.closeAllConnections();
        else {
          server.closeIdleConnections();
          endUnused(performance.now() - from);
        }
        isOpen = await Promise.race([closed.then(() => false), delay(20, true)]);
      }
    },
  };
}
