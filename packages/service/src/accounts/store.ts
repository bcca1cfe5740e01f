import type { Transaction, Selectable } from 'kysely';
import type { Account } from './rules/account.js';
import type { Accounts, Customers } from '../core/store.js';
import {
  prepared,
  preparedFind,
  preparedInsert,
  preparedUpdate,
  withoutViolation,
} from '../platform/databases/prepared.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import { emailKey, type Customer } from './rules/customer.js';

const records = recordsOf<'accounts', Account>({
  json: ['fields', 'bill'],
  columns: ['id', 'business_unit', 'account_number', 'sub_account_number', 'fields', 'billed_at', 'bill'],
});

const find = preparedFind('accounts', 'business_unit', 'account_number', 'sub_account_number');

const get = preparedFind('accounts', 'id');

const lock = prepared((tx, id: string) =>
  tx
    .updateTable('accounts')
    .set((row) => ({ fields: row.ref('fields') }))
    .where('id', '=', id)
    .returningAll(),
);

const insert = preparedInsert('accounts', { of: records, more: withoutViolation });
const update = preparedUpdate(
  'accounts',
  recordsOf<'accounts', Account>({ json: ['fields', 'bill'], columns: ['fields', 'billed_at', 'bill'] }),
);

export function accounts(tx: Transaction<Tables>): Accounts {
  const all = () => tx.selectFrom('accounts').selectAll();
  return {
    find: (businessUnit, accountNumber, subAccountNumber) =>
      first(find(tx, businessUnit, accountNumber, subAccountNumber), records.read),
    get: (id) => first(get(tx, id), records.read),
    lock: (id) => first(lock(tx, id), records.read),
    insert: (account) => insert(tx, account),
    update: (account) => update(tx, account.id, account),
    list: (businessUnit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .orderBy('account_number')
          .orderBy('sub_account_number')
          .execute(),
        records.read,
      ),
  };
}

const findCustomer = preparedFind('customers', 'business_unit', 'email_key');

const associate = prepared((tx, customerId: string, accountId: string) =>
  tx
    .insertInto('account_customers')
    .values({ account_id: accountId, customer_id: customerId })
    .onConflict((conflict) => conflict.doNothing()),
);

const association = preparedFind('account_customers', 'customer_id', 'account_id');

const anyCustomer = prepared((tx, accountId: string) =>
  tx.selectFrom('account_customers').select('customer_id').where('account_id', '=', accountId).limit(1),
);

const getCustomer = preparedFind('customers', 'id');

const ofSession = prepared((tx, sessionId: string) =>
  tx
    .selectFrom('customers')
    .innerJoin('sessions', 'sessions.customer_id', 'customers.id')
    .selectAll('customers')
    .where('sessions.id', '=', sessionId),
);

const insertCustomer = preparedInsert('customers', { more: withoutViolation });

export function customers(tx: Transaction<Tables>): Customers {
  const all = () => tx.selectFrom('customers').selectAll('customers');
  const update = (customer: Customer) =>
    tx.updateTable('customers').set(columns(customer)).where('id', '=', customer.id).execute();
  return {
    find: (businessUnit, emailAddress) =>
      first(findCustomer(tx, businessUnit, emailKey(emailAddress)), customer),
    get: (id) => unlessErased(getCustomer(tx, id)),
    ofSession: (sessionId) => unlessErased(ofSession(tx, sessionId)),
    insert: (customer) => insertCustomer(tx, row(customer)),
    update,
    changeAddress: async (customer) => {
      // The update alone could be a unique violation: see `withoutViolation`.
      const claim = `${customer.id}-claim`;
      await insertCustomer(tx, row({ ...customer, id: claim }));
      await tx.deleteFrom('customers').where('id', '=', claim).execute();
      await update(customer);
    },
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('email_key').execute(), customer),
    associate: (customerId, accountId) => associate(tx, customerId, accountId),
    isAssociated: async (customerId, accountId) => (await association(tx, customerId, accountId)).length > 0,
    hasCustomer: async (accountId) => (await anyCustomer(tx, accountId)).length > 0,
    ofAccount: async (accountId) => {
      const found = await every(
        all()
          .innerJoin('account_customers', 'account_customers.customer_id', 'customers.id')
          .where('account_customers.account_id', '=', accountId)
          .orderBy('email_key')
          .execute(),
        customer,
      );
      return found.filter(isPerson);
    },
  };
}

/** Payments and accounts refer to an erased customer's row, so it is kept. */
const isPerson = ({ emailAddress }: Customer): boolean => emailAddress !== '';

async function unlessErased(rows: Promise<Selectable<Tables['customers']>[]>): Promise<Customer | null> {
  const found = await first(rows, customer);
  return found !== null && isPerson(found) ? found : null;
}

type Fields = Pick<Customer, 'emailAddress' | 'firstName' | 'lastName' | 'language'>;

function row(customer: Customer) {
  return { id: customer.id, business_unit: customer.businessUnit, ...columns(customer) };
}

function columns({ emailAddress, firstName, lastName, language }: Customer) {
  return {
    email_key: emailKey(emailAddress),
    fields: JSON.stringify({ emailAddress, firstName, lastName, language }),
  };
}

function customer(row: Pick<Selectable<Tables['customers']>, 'id' | 'business_unit' | 'fields'>): Customer {
  return { id: row.id, businessUnit: row.business_unit, ...(JSON.parse(row.fields) as Fields) };
}
