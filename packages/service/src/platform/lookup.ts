/** Looks up names of other people's servers. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Slots } from './slots.js';
import ipaddr from 'ipaddr.js';

export const FORBIDDEN = 'EADDRNOTPUBLIC';

/**
 * Resolves names for `net.connect`. In production, refuses a name if any of the addresses that it would try is internal. The
 * connection uses the checked address, so a name that resolves differently a moment later changes nothing.
 */
export function lookupOf(publicOnly: boolean): LookupFunction {
  return (hostname, { all }, callback) => void lookUp(hostname, all === true, callback);

  async function lookUp(hostname: string, all: boolean, callback: LookupCallback): Promise<void> {
    let addresses: LookupAddress[];
    try {
      addresses = await addressesOf(hostname, publicOnly);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, []);
      return;
    }
    const [first] = addresses;
    if (first === undefined || (publicOnly && !addresses.every(({ address }) => isPublic(address))))
      callback(Object.assign(new Error(FORBIDDEN), { code: FORBIDDEN }), []);
    else if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  }
}

type LookupCallback = Parameters<LookupFunction>[2];

/** Real ms, per server and try. */
const RESOLVE_TIMEOUT_MS = 3_000;
/** Addresses of each family to check and try. An answer may contain thousands. */
const MAX_ADDRESSES = 16;
/**
 * The system's lookups share two threads with those of the processor and the database. A server that doesn't respond
 * occupies one for many seconds, so use at most one here.
 */
const SYSTEM_LOOKUP = new Slots(1);

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/**
 * The DNS doesn't know the name, or there is no DNS server. After other failures, the system's lookup would take many
 * seconds.
 */
const NOT_IN_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** Queries the DNS. Leaves names without a dot and, outside production, those in the hosts file to the system. */
async function addressesOf(hostname: string, publicOnly: boolean): Promise<LookupAddress[]> {
  const bySystem = () => SYSTEM_LOOKUP.run(hostname, () => dns.lookup(hostname, { all: true }));
  if (/(^|\.)localhost$/.test(hostname)) return LOOPBACK;
  if (!hostname.includes('.')) return bySystem();

  const resolver = new dns.Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...firstOf(four).map((address) => ({ address, family: 4 })),
    ...firstOf(six).map((address) => ({ address, family: 6 })),
  ];
  if (found.length > 0) return found;

  const failure = four.status === 'rejected' ? (four.reason as NodeJS.ErrnoException) : undefined;
  if (!publicOnly && (failure === undefined || NOT_IN_DNS.has(failure.code))) return bySystem();
  if (failure) throw failure;
  return [];
}

function firstOf(resolved: PromiseSettledResult<string[]>): string[] {
  return resolved.status === 'fulfilled' ? resolved.value.slice(0, MAX_ADDRESSES) : [];
}

/** The public IPv6 range allocated by IANA. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is on the public internet. IPv4-mapped IPv6 addresses count as IPv4. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
