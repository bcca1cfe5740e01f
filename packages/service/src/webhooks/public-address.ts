import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The public IPv6 range allocated by IANA. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is on the public internet. IPv4-mapped IPv6 addresses count as IPv4. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
