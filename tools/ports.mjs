// Ports for what must be told its port before it starts, or must have the same one again.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Free ports, all different: every one is held until the last is known. Below those that systems give to whoever asks
 * for any (from 32768 on Linux), so that nobody is given one of them before it is listened on.
 */
export async function freePorts(count) {
  const probes = [];
  while (probes.length < count) {
    const probe = createServer();
    const held = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(randomInt(20_000, 32_000), '127.0.0.1', () => resolve(true));
    });
    if (held) probes.push(probe);
  }
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}

/** One of them. */
export async function freePort() {
  const [port] = await freePorts(1);
  return port;
}
