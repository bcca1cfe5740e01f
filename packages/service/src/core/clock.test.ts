import { expect, it } from 'vitest';
import { movableClock, SKEW_MS } from './clock.js';

const HOUR = 3_600_000;

/** A clock on a system whose time passes, and is set, as a test says. */
function made() {
  let [system, elapsed] = [1_800_000_000_000, 5_000];
  const clock = movableClock(
    () => system,
    () => elapsed,
  );
  return {
    clock,
    pass: (ms: number) => {
      system += ms;
      elapsed += ms;
    },
    set: (ms: number) => void (system += ms),
  };
}

it('a clock that nobody sets is not ahead, however far it was moved for a test', () => {
  const { clock, pass } = made();
  for (let minute = 0; minute < 200; minute++) {
    pass(60_000);
    clock.set(minute * HOUR);
    expect(clock.ahead()).toBe(0);
  }
});

it('a system’s clock that was set ahead is in doubt for an hour, and by as much', () => {
  const { clock, pass, set } = made();
  for (let minute = 0; minute < 120; minute++) {
    pass(60_000);
    clock.ahead();
  }
  set(48 * HOUR);
  for (let minute = 0; minute < 59; minute++) {
    expect(clock.ahead()).toBe(48 * HOUR);
    pass(60_000);
  }
  pass(2 * 60_000);
  expect(clock.ahead()).toBe(0);
});

it('it is in doubt where nobody has looked for long, and no more once it is put right', () => {
  const { clock, pass, set } = made();
  pass(10 * HOUR);
  set(48 * HOUR);
  expect(clock.ahead()).toBe(48 * HOUR);
  set(-48 * HOUR);
  expect(clock.ahead()).toBe(0);
  pass(2 * HOUR);
  expect(clock.ahead()).toBe(0);
});

it('what it is ahead by is known when it was set back first, and as much as two clocks may differ is nothing', () => {
  const { clock, set } = made();
  set(-2 * HOUR);
  expect(clock.ahead()).toBe(0);
  set(2 * HOUR);
  expect(clock.ahead()).toBe(2 * HOUR);
  const other = made();
  other.set(SKEW_MS);
  expect(other.clock.ahead()).toBe(0);
  other.set(1);
  expect(other.clock.ahead()).toBe(SKEW_MS + 1);
});
