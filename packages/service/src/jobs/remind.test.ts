import { expect, it } from 'vitest';
import { ItemRunner } from '../platform/item-runner.js';
import { Reminders } from './remind.js';

it('R-97 R-104 writes a page of each business unit in turn', async () => {
  const clock = { now: () => Date.parse('2026-11-30T12:00:00Z') };
  const businessUnits = ['large', 'small'].map((slug) => ({
    slug,
    name: slug,
    timeZone: 'UTC',
    autopay: 'service',
  }));
  const config = { businessUnits, email: { from: 'a@b.example', reminders: true } };
  const pages: string[] = [];
  const scheduled = async (slug: string, _day: string, { limit }: { limit: number }) => {
    pages.push(slug);
    const isFull = slug === 'large' && pages.filter((page) => page === slug).length <= 3;
    return Array.from({ length: isFull ? limit : 1 }, () => ({}));
  };
  const upcoming = { scheduled, autopay: async () => [], expiringCards: async () => [] };
  const store = { transaction: (work: (tx: object) => unknown) => work({ messages: { upcoming } }) };
  const log = { error: () => undefined };
  const reminders = new Reminders({ clock, config, store, env: 'staging', newId: () => 'eml_1' } as never);
  const runner = new ItemRunner({ clock, log }, 'sweep');
  for (let sweep = 0; sweep < 2; sweep++) await reminders.write(runner, AbortSignal.timeout(60_000));
  expect(pages).toEqual(['large', 'small', 'large', 'large', 'large']);
});
