// Finds free ports for programs that need to know their port before they start, or need the same port again.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns distinct free ports. They are below the ephemeral range (from 32768 on Linux), so the system doesn't assign them
 * to another program in the meantime.
 * @param {number} count
 * @returns {Promise<number[]>}
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

/** One free port. @returns {Promise<number>} */
export async function freePort() {
  const [port] = await freePorts(1);
  return port;
}
