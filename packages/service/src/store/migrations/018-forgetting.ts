import { sql, type Kysely } from 'kysely';
import type { Index } from './migration.js';

/** When to forget what identifies a payer: the token and details of a removed method, or of a finished payment. */
export async function forgetting(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempts add column forget_at bigint`.execute(db);
  await sql`alter table methods add column forget_at bigint`.execute(db);
}

export const forgettingIndexes: readonly Index[] = [
  { name: 'attempts_forget', table: 'attempts', of: '(forget_at) where forget_at is not null' },
  { name: 'methods_forget', table: 'methods', of: '(forget_at) where forget_at is not null' },
];
