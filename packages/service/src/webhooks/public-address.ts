import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Everything that IANA has allocated for the public IPv6 internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for an address on the public internet. An IPv4 address in IPv6 form counts as IPv4. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
