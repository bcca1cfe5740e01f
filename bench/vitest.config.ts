import { defineConfig } from 'vitest/config';

// Runs one file at a time, so that little else uses the machine during a measurement.
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
