import { defineConfig } from 'vitest/config';

// One file at a time: what is measured shares the machine with as little as possible.
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
