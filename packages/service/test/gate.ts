/** A TCP proxy that can be cut off: it then accepts bytes but forwards nothing. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Gate {
  readonly port: number;
  /** Forwards new connections to this port. */
  leadTo(port: number): void;
  /** Keeps all connections open but forwards nothing. */
  cut(): void;
  stop(): void;
}

export async function startGate(): Promise<Gate> {
  const sockets = new Set<Socket>();
  let target = 0;
  let isCut = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) return;
    const far = keep(connect(target, '127.0.0.1'));
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
      isCut = false;
    },
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
