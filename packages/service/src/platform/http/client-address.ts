/** Finds the address of the browser behind trusted proxies. */
import ipaddr from 'ipaddr.js';

/** The peer's address, as Node reports it; undefined for calls within the process. */
export function peerOf(bindings: unknown): string | undefined {
  const { incoming } = (bindings ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}

/**
 * The client's address: the right-most one that is not a trusted proxy's, because a client can write anything to the
 * left of it. Undefined if that one is not an address.
 *
 * @param forwardedFor the `X-Forwarded-For` header; ignored unless the peer is a trusted proxy
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: AddressRange[],
): string | undefined {
  if (peer === undefined) return undefined;

  const hops = (forwardedFor ?? '')
    .split(',')
    .filter((hop) => hop.trim() !== '')
    .slice(-MAX_HOPS);
  let address = parse(peer);
  while (address && ipaddr.subnetMatch(address, { trustedProxies }) === 'trustedProxies') {
    const next = hops.pop();
    if (next === undefined) break;
    address = parse(withoutPort(next.trim()));
  }
  return address?.toString();
}

/** More proxies than anyone has. Each takes a fraction of a millisecond. */
const MAX_HOPS = 20;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Converts IPv4-mapped IPv6 addresses to IPv4. */
function parse(text: string): Address | undefined {
  const [address = ''] = text.split('%');
  const isIp = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isIp ? ipaddr.process(address) : undefined;
}

/** Some proxies add the port: `198.51.100.4:5123`, `[2001:db8::1]:5123`. */
function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** An address and the number of its bits that count. */
export type AddressRange = [Address, number];
