import { defineConfig } from 'vitest/config';

// One file at a time, so that as little as possible shares the machine with a measurement.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.bench.ts'],
    fileParallelism: false,
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    reporters: ['verbose'],
  },
});
