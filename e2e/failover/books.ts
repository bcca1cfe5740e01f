/**
 * Results of a run under load: how fast the service responded, and whether all acknowledged data was stored exactly once.
 */
import { expect } from 'vitest';
import type { Gateway } from '../../packages/service/test/gateway.js';
import type { Service } from '../harness/index.js';
import type { LoadResponse, Load } from './load.js';

/** Resolves after this many more responses. */
export async function untilResponses(load: Load, count: number): Promise<void> {
  await expect.poll(() => load.responses.length, { timeout: 60_000 }).toBeGreaterThan(count);
}

/** Checks that every acknowledged session and payment is stored, and that every charge has a payment. */
export async function complete(load: Load, service: Service, gateway: Gateway): Promise<void> {
  const state = await service.control.state();
  const sessions = new Set(state.sessions.map(({ id }) => id));
  expect([...load.created].filter((id) => !sessions.has(id))).toEqual([]);
  const payments = state.payments.filter(({ status }) => status === 'succeeded');
  const paid = new Map(payments.map(({ sessionId, amount }) => [sessionId, amount]));
  expect(paid.size).toBe(payments.length);
  expect([...load.paid].filter(([id, amount]) => paid.get(id) !== amount)).toEqual([]);
  const amounts = (all: readonly { amount: number }[]): number[] =>
    all.map(({ amount }) => amount).toSorted((one, other) => one - other);
  expect(amounts(gateway.charges)).toEqual(amounts(payments));
}

/** Milliseconds from an instant to the next response to a create. */
export function firstCreate(load: Load, since: number): number {
  const receivedAt = load.responses
    .filter(({ what, status, sentAt, ms }) => what === 'create' && status === 200 && sentAt + ms > since)
    .map(({ sentAt, ms }) => sentAt + ms);
  return Math.min(...receivedAt) - since;
}

export function slowest(load: Load): LoadResponse {
  return load.responses.reduce((one, other) => (one.ms > other.ms ? one : other));
}

/** Prints the figures that the docs quote. */
export function report(what: string, load: Load, from: number, promotedAt: number): void {
  const slow = slowest(load);
  const before = load.responses.filter(({ sentAt, ms }) => sentAt + ms < from).map(({ ms }) => ms);
  const usual = before.toSorted((one, other) => one - other)[Math.floor(before.length / 2)] ?? 0;
  const counts: Record<string, number> = {};
  for (const { what: kind, status } of load.responses)
    counts[`${kind} ${status}`] = (counts[`${kind} ${status}`] ?? 0) + 1;
  console.log(
    `${what}: promoted after ${Math.round(promotedAt - from)} ms, first create ${Math.round(firstCreate(load, promotedAt))} ms later, slowest ${slow.what} ${Math.round(slow.ms)} ms, sent ${Math.round(slow.sentAt - from)} ms after, usually ${Math.round(usual)} ms, ${JSON.stringify(counts)}`,
  );
}
