import { isPostgres, statements, type Change } from './migration.js';

/**
 * Keeps AutoPay in step with bills that processes of release 0.3 sync. They write only `accounts.fields`, and enroll
 * accounts without a due date. The database itself does the rest, for all releases:
 *
 * - A new `Balance` that isn't in `accounts.bill` gets the current time, and includes what has been paid.
 * - A new `Balance` or `DueDate` becomes the enrollment's next charge.
 */
export const olderBills: Change = (db) => statements(...(isPostgres(db) ? POSTGRES : SQLITE))(db);

const NOW = (ms: string) =>
  `cast(${ms} + coalesce((select cast(value as numeric) from meta where name = 'clock-offset'), 0) as bigint)`;

const SQLITE_NOW = NOW(`(julianday('now') - 2440587.5) * 86400000`);
const field = (row: string, name: string) => `json_extract(${row}.fields, '$.${name}')`;
const FORGET_PAID = `delete from account_payments where account_id = new.id and exists (
  select 1 from attempts where id = attempt_id and answered_at is not null);`;
const stamp = `update accounts set billed_at = ${SQLITE_NOW}, bill = null where id = new.id; ${FORGET_PAID}`;

const SQLITE = [
  `create trigger accounts_added after insert on accounts
   when ${field('new', 'Balance')} is not null and new.bill is null
   begin ${stamp} end`,
  `create trigger accounts_billed after update of fields on accounts
   when ${field('new', 'Balance')} is not null and ${field('new', 'Balance')} is not ${field('old', 'Balance')}
     and ${field('new', 'Balance')} is not json_extract(new.bill, '$.Balance')
   begin ${stamp} end`,
  `create trigger accounts_due after update of fields, billed_at on accounts
   when ${field('new', 'Balance')} is not ${field('old', 'Balance')}
     or ${field('new', 'DueDate')} is not ${field('old', 'DueDate')}
     or (old.billed_at is null and new.billed_at is not null)
   begin update autopay set due_date = ${field('new', 'DueDate')} where account_id = new.id; end`,
  `create trigger autopay_enrolled after insert on autopay when new.due_date is null
   begin update autopay set due_date = (select ${field('accounts', 'DueDate')} from accounts where id = new.account_id)
     where account_id = new.account_id; end`,
];

const POSTGRES_NOW = NOW(`extract(epoch from clock_timestamp()) * 1000`);
/**
 * Not as JSON, because PostgreSQL rejects some characters that a name may have. Quotes in a name are escaped, so the
 * pattern only matches the field itself.
 */
const text = (row: string, name: string, column = 'fields') =>
  `substring(${row}.${column} from '"${name}":"?([^",}]*)')`;

const POSTGRES = [
  `create function accounts_billed() returns trigger language plpgsql as $$ begin
     if ${text('new', 'Balance')} is not null and ${text('new', 'Balance')} is distinct from ${text('old', 'Balance')}
       and ${text('new', 'Balance')} is distinct from ${text('new', 'Balance', 'bill')} then
       new.billed_at = ${POSTGRES_NOW};
       new.bill = null;
       ${FORGET_PAID}
     end if;
     return new;
   end $$`,
  `create trigger accounts_billed before insert or update of fields on accounts
   for each row execute function accounts_billed()`,
  `create function accounts_due() returns trigger language plpgsql as $$ begin
     update autopay set due_date = ${text('new', 'DueDate')} where account_id = new.id;
     return null;
   end $$`,
  `create trigger accounts_due after update of fields, billed_at on accounts for each row
   when (${text('new', 'Balance')} is distinct from ${text('old', 'Balance')}
     or ${text('new', 'DueDate')} is distinct from ${text('old', 'DueDate')}
     or (old.billed_at is null and new.billed_at is not null))
   execute function accounts_due()`,
  `create function autopay_enrolled() returns trigger language plpgsql as $$ begin
     new.due_date = coalesce(new.due_date,
       (select ${text('accounts', 'DueDate')} from accounts where id = new.account_id));
     return new;
   end $$`,
  `create trigger autopay_enrolled before insert on autopay for each row execute function autopay_enrolled()`,
];
