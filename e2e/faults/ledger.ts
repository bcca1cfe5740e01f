/** Reads the ledger from the command line. */
import { execFileSync } from 'node:child_process';
import { BUSINESS_UNIT } from '../harness/index.js';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;

export interface Entry {
  readonly SessionId: string;
  /** Cents. */
  readonly Amount: number;
}

/** Every entry of the business unit. */
export function ledgerOf(database: string): Entry[] {
  const period = ['--from', '2020-01-01', '--to', '2100-01-01', '--format', 'json'];
  const args = ['ledger', 'export', '--business-unit', BUSINESS_UNIT, '--database', database, ...period];
  const entries = execFileSync(process.execPath, [CLI, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(entries) as Entry[];
}
