/** Stores the customers in memory, and in a file if they must survive a restart. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { accountOf, newCustomer, type Customer } from './ledger.js';

export interface Store {
  get(id: string | undefined): Customer | undefined;
  findByAccount(number: string | undefined): Customer | undefined;
  findByEmail(address: string): Customer | undefined;
  /** Adds a new demo customer. */
  addCustomer(now: Date): Customer;
  /** Applies the change to the latest state, even after an await. */
  update(id: string, change: (customer: Customer) => Customer): Customer;
}

/** Bounds a public demo: beyond this, the least recently changed customers are removed. */
const MAX_CUSTOMERS = 1_000;

export function openStore(file: string | undefined): Store {
  const customers = new Map<string, Customer>(
    file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as [string, Customer][]) : [],
  );
  const put = (customer: Customer): Customer => {
    customers.delete(customer.id);
    customers.set(customer.id, customer);
    for (const oldest of customers.keys()) {
      if (customers.size <= MAX_CUSTOMERS) break;
      customers.delete(oldest);
    }
    if (file) {
      writeFileSync(`${file}.new`, JSON.stringify([...customers]), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    return customer;
  };
  return {
    get: (id) => (id === undefined ? undefined : customers.get(id)),
    findByAccount: (number) =>
      number === undefined
        ? undefined
        : [...customers.values()].find((customer) => accountOf(customer, number)),
    findByEmail: (address) =>
      [...customers.values()].find(
        ({ emailAddress }) => emailAddress.toLowerCase() === address.toLowerCase(),
      ),
    addCustomer: (now) => put(newCustomer(randomBytes(16).toString('hex'), now)),
    update(id, change) {
      const customer = customers.get(id);
      if (!customer) throw new Error(`No customer ${id}`);
      return put(change(customer));
    },
  };
}
