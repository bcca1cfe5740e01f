/** Where a name leads, asked so that a nameserver that does not answer holds up nobody but who asked. */
import type { LookupAddress } from 'node:dns';
// As a whole, both: a test puts a nameserver of its own there, or takes the hosts file away.
import dns from 'node:dns/promises';
import fs from 'node:fs/promises';
import { isIP } from 'node:net';

/** Ms until a nameserver is asked again, or the next one; how often each is. */
const PATIENCE = { timeout: 2_000, tries: 2 } as const;
const HOSTS = '/etc/hosts';

/**
 * The addresses of a name, as the system would find them: of its hosts file, of DNS, and by whatever else it knows.
 * The system itself is asked only for what neither of the first two has, one name at a time: it asks on threads that
 * the whole process has two of, and a name that hangs would keep the database's and the processor's waiting too.
 * @param signal nobody waits for it any more
 * @throws the error of the lookup, such as `ENOTFOUND` or `ETIMEOUT`
 */
export async function addressesOf(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const known = await ofHosts(name);
  if (known.length > 0) return known;
  return (await ofDns(name, signal)) ?? bySystem(name, signal);
}

async function ofHosts(name: string): Promise<LookupAddress[]> {
  return inHosts(await fs.readFile(HOSTS, 'utf8').catch(() => ''), name);
}

/** The addresses that a hosts file has of a name. */
export function inHosts(text: string, name: string): LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line
      .toLowerCase()
      .split(/\s|#.*/)
      .filter(Boolean);
    const family = isIP(address);
    return family !== 0 && names.includes(name.toLowerCase()) ? [{ address, family }] : [];
  });
}

/** Null: DNS says that it knows no address of that name, or is not there. */
async function ofDns(name: string, signal: AbortSignal): Promise<LookupAddress[] | null> {
  signal.throwIfAborted();
  // One each: it is for this one that it is canceled.
  const resolver = new dns.Resolver(PATIENCE);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(name).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(name).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    for (const answer of answers)
      if (answer.status === 'rejected' && hung(answer.reason)) throw answer.reason;
    return null;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function hung(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ETIMEOUT', 'ECANCELLED'].includes(String(error.code));
}

let turn: Promise<unknown> = Promise.resolve();

function bySystem(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const mine = turn.then(() => {
    signal.throwIfAborted();
    return dns.lookup(name, { all: true });
  });
  turn = mine.catch(() => undefined);
  return mine;
}
