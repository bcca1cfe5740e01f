import { sql, type Kysely } from 'kysely';

/** Bank accounts and cards that must not be debited again, by fingerprint. */
export async function blockedAccounts(db: Kysely<unknown>): Promise<void> {
  await sql`create table blocked_accounts (
    business_unit text not null,
    fingerprint text not null,
    reason text not null,
    blocked_at bigint not null,
    primary key (business_unit, fingerprint)
  )`.execute(db);
}
