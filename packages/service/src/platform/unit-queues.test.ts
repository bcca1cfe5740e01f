import { expect, it } from 'vitest';
import { UnitQueues } from './unit-queues.js';

/** Units' work, which the test completes one by one. */
function held() {
  const started: string[] = [];
  const due = new Set<string>();
  const ends = new Map<string, (count: number) => void>();
  const queues = new UnitQueues({
    due: async () => [...due],
    work: (slug) => {
      started.push(slug);
      return new Promise((resolve) => ends.set(slug, resolve));
    },
    run: (job) => job(),
  });
  const end = (slug: string, count = 0): void => {
    due.delete(slug);
    ends.get(slug)?.(count);
  };
  return { started, due, end, queues };
}

it('R-97 starts a unit’s queue once, even while others run', async () => {
  const { started, due, end, queues } = held();
  due.add('large');
  await queues.begin();
  due.add('small');
  await queues.begin();
  await queues.begin();
  expect(started).toEqual(['large', 'small']);
  end('small');
  await new Promise(setImmediate);
  due.add('small');
  await queues.begin();
  expect(started).toEqual(['large', 'small', 'small']);
  for (const slug of ['large', 'small']) end(slug);
  await queues.idle();
});

it('polls again after a queue that found work, without waiting for the others', async () => {
  const { started, due, end, queues } = held();
  due.add('large').add('small');
  const done = queues.drain();
  await expect.poll(() => started).toEqual(['large', 'small']);
  end('small', 1);
  due.add('late');
  await expect.poll(() => started).toEqual(['large', 'small', 'late']);
  end('late');
  end('large');
  await done;
});

it('R-54 reruns a queue that is woken while it runs', async () => {
  const { started, end, queues } = held();
  queues.wake(['one']);
  queues.wake(['one', 'other']);
  queues.wake(['one']);
  end('one');
  await expect.poll(() => started).toEqual(['one', 'other', 'one']);
  for (const slug of ['one', 'other']) end(slug);
  await queues.idle();
  queues.wake(['one']);
  expect(started).toEqual(['one', 'other', 'one', 'one']);
  end('one');
});

it('starts no queue that is not allowed to start', async () => {
  const started: string[] = [];
  const queues = new UnitQueues({
    due: async () => ['one', 'two'],
    work: async (slug) => started.push(slug) && 0,
    run: (job) => job(),
    mayBegin: (_, running) => running.length === 0,
  });
  await queues.begin();
  await queues.idle();
  expect(started).toEqual(['one']);
});

it('R-97 a queue that may no longer begin yields its turn, even if it is woken', async () => {
  let mayBegin = true;
  const started: string[] = [];
  const queues: UnitQueues = new UnitQueues({
    due: async () => [],
    work: async (slug) => {
      await Promise.resolve();
      queues.wake([slug]);
      mayBegin = started.push(slug) < 2;
      return 1;
    },
    run: (job) => job(),
    mayBegin: () => mayBegin,
  });
  queues.wake(['slow']);
  await queues.idle();
  expect(started).toEqual(['slow', 'slow']);
});
