import { afterEach, expect, it, vi } from 'vitest';
import { createJournal } from './journal.js';
import type { Journal } from './journal.js';
import type { Redaction } from './redaction.js';

afterEach(() => void vi.useRealTimers());

const begun = (): Journal => createJournal({ now: () => 0 }, { text: (words: string) => words } as Redaction);
const tell = (journal: Journal, count: number): void => {
  for (let n = 0; n < count; n++) journal.add({ kind: 'webhook', level: 'info', title: 'told' });
};

it('R-90 knows that events of a process that ended in the same second are gone, however many it has told itself', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_795_000_000_000 });
  const first = begun();
  tell(first, 5);
  const last = first.events().at(-1)?.id ?? 0;
  vi.setSystemTime(1_795_000_000_900);
  const second = begun();
  expect(second.isGone(last)).toBe(true);
  tell(second, 10);
  expect(second.isGone(last)).toBe(true);
});
