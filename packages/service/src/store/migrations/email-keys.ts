import { sql, type Kysely } from 'kysely';
import { emailKey } from '../../accounts/rules/customer.js';

interface Row {
  readonly id: string;
  readonly business_unit: string;
  readonly email_key: string;
  readonly fields: string;
}

/**
 * Lowercases e-mail addresses as D-6 requires: A to Z only. Earlier releases also folded other capitals, so a customer
 * with one in the address would not be found. Only such addresses have characters of several bytes, and only they are
 * written.
 */
export async function emailKeys(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Row>`select id, business_unit, email_key, fields from customers
    where octet_length(email_key) <> length(email_key)`.execute(db);
  for (const { id, business_unit, email_key, fields } of rows) {
    const key = emailKey((JSON.parse(fields) as { emailAddress: string }).emailAddress);
    if (key === email_key) continue;
    // A customer who returned after the upgrade may already have the key.
    await sql`update customers set email_key = ${key} where id = ${id} and not exists
      (select 1 from customers where business_unit = ${business_unit} and email_key = ${key})`.execute(db);
  }
}
