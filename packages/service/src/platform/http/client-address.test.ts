import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.js';

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'].map((range) => ipaddr.parseCIDR(range));

describe('R-100 the address of a client', () => {
  it.each([
    ['no proxy is trusted', '198.51.100.4', '203.0.113.9', [], '198.51.100.4'],
    ['the peer is not trusted', '198.51.100.4', '203.0.113.9', TRUSTED, '198.51.100.4'],
    ['the peer is trusted', '10.0.0.7', '203.0.113.9', TRUSTED, '203.0.113.9'],
    ['the peer is IPv4 on an IPv6 socket', '::ffff:10.0.0.7', '203.0.113.9', TRUSTED, '203.0.113.9'],
    ['the peer is IPv6', 'fd00::7', '2001:db8::1', TRUSTED, '2001:db8::1'],
    ['the client forges entries', '10.0.0.7', '1.1.1.1, 10.9.9.9,203.0.113.9', TRUSTED, '203.0.113.9'],
    ['there are two proxies', '10.0.0.7', '1.1.1.1, 203.0.113.9 , 10.0.0.8', TRUSTED, '203.0.113.9'],
    ['entries have ports', '10.0.0.7', '203.0.113.9:5123', TRUSTED, '203.0.113.9'],
    ['an IPv6 entry has a port', '10.0.0.7', '[2001:db8::1]:5123', TRUSTED, '2001:db8::1'],
    ['every hop is trusted', '10.0.0.7', '10.0.0.9, 10.0.0.8', TRUSTED, '10.0.0.9'],
    [
      'R-91 a client sends more than anybody has',
      '10.0.0.7',
      `203.0.113.9${',10.0.0.8'.repeat(1_500)}`,
      TRUSTED,
      '10.0.0.8',
    ],
    ['the proxy sends no header', '10.0.0.7', undefined, TRUSTED, '10.0.0.7'],
    ['the entry is not an address', '10.0.0.7', '1.1.1.1, unknown', TRUSTED, undefined],
    ['there is no connection', undefined, '203.0.113.9', TRUSTED, undefined],
  ])('is found if %s', (_, peer, header, trusted, expected) => {
    expect(clientAddress(peer, header, trusted)).toBe(expected);
  });
});
