import { describe, expect, it } from 'vitest';
import { Buckets, addressOf } from './buckets.js';

describe('buckets', () => {
  it('allow a burst, then refill over time up to their capacity', () => {
    let now = 0;
    const two = new Buckets(
      () => ({ perSecond: 0.5, burst: 2 }),
      () => now,
    );
    const take = (): number => two.take('a');
    expect([take(), take(), take()]).toEqual([0, 0, 2]);
    expect(two.take('b')).toBe(0);
    now = 2_000;
    expect([take(), take()]).toEqual([0, 2]);
    now = 1_000_000;
    expect([take(), take(), take()]).toEqual([0, 0, 2]);
  });

  it('take a cost of several tokens, at most a whole bucket', () => {
    const ten = new Buckets(
      () => ({ perSecond: 1, burst: 10 }),
      () => 0,
    );
    expect([ten.take('a', 6), ten.take('a', 6), ten.take('a', 4)]).toEqual([0, 2, 0]);
    expect([ten.take('b', 25), ten.take('b')]).toEqual([0, 1]);
    expect([ten.take('c', 2), ten.take('c', 25, 2), ten.take('c')]).toEqual([0, 0, 1]);
  });

  it('say when a request that is refused after its first part can be repeated', () => {
    let now = 0;
    const ten = new Buckets(
      () => ({ perSecond: 1, burst: 10 }),
      () => now,
    );
    ten.take('a', 7);
    expect([ten.take('a', 2), ten.take('a', 5, 2)]).toEqual([0, 4]);
    now = 4_000;
    expect([ten.take('a', 2), ten.take('a', 5, 2)]).toEqual([0, 0]);
  });

  it('evict the least recently used at ten thousand', () => {
    const one = new Buckets(
      () => ({ perSecond: 0.001, burst: 1 }),
      () => 0,
    );
    one.take('first');
    one.take('used');
    for (let count = 0; count < 9_999; count++) {
      one.take(`other ${count}`);
      expect(one.take('used')).toBeGreaterThan(0);
    }
    expect(one.take('first')).toBe(0);
  });
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
])('maps the address %s to %s', (remoteAddress, expected) => {
  expect(addressOf({ incoming: { socket: { remoteAddress } } })).toBe(expected);
});

it('maps a request without a socket to an empty address', () => {
  expect(addressOf(undefined)).toBe('');
});
