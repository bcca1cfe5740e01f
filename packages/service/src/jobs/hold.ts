/** Holds all jobs of a database after a backup was restored (decision 0072). */
import type { StoreTx } from '../core/store.js';

const NAME = 'jobs-held';

export async function areJobsHeld(tx: StoreTx): Promise<boolean> {
  return (await tx.meta.get(NAME)) === 'yes';
}

export async function setJobsHeld(tx: StoreTx, isHeld: boolean): Promise<void> {
  await tx.meta.set(NAME, isHeld ? 'yes' : 'no');
}
