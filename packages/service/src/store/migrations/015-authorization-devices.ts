import { sql, type Kysely } from 'kysely';

/** The address and browser that agreed to an authorization, which mandates ask for. */
export async function authorizationDevices(db: Kysely<unknown>): Promise<void> {
  await sql`alter table authorizations add column ip text`.execute(db);
  await sql`alter table authorizations add column user_agent text`.execute(db);
}
