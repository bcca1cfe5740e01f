/** Reproducible random numbers. */

/** Numbers from 0 to 1, determined by the seed (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** {@link numbers} with a printed seed. To repeat a failed run: `TEST_SEED=… npx vitest run …`. */
export function seeded(name: string): () => number {
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`${name}: TEST_SEED=${seed}`);
  return numbers(seed);
}
