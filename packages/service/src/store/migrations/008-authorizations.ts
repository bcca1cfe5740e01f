import { sql, type Kysely } from 'kysely';

/** Authorizations of bank payments. */
export async function authorizations(db: Kysely<unknown>): Promise<void> {
  await sql`create table authorizations (
    id text primary key,
    business_unit text not null,
    text text not null,
    agreed_at bigint not null,
    revoked_at bigint)`.execute(db);
  for (const table of ['attempts', 'schedules', 'autopay'])
    await sql.raw(`alter table ${table} add column authorization_id text`).execute(db);
}
