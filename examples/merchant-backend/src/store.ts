/** The customers, in memory. A real site would use a database. */
import { randomBytes } from 'node:crypto';
import { newCustomer, type Customer } from './ledger.js';

export interface Store {
  get(id: string | undefined): Customer | undefined;
  findByAccount(number: string): Customer | undefined;
  findByEmail(address: string): Customer | undefined;
  /** Adds a new demo customer. */
  addCustomer(now: Date): Customer;
  /** Applies the change to the latest state, even after an await. */
  update(id: string, change: (customer: Customer) => Customer): Customer;
}

export function createStore(): Store {
  const customers = new Map<string, Customer>();
  const put = (customer: Customer): Customer => {
    customers.set(customer.id, customer);
    return customer;
  };
  const find = (matches: (customer: Customer) => boolean): Customer | undefined =>
    [...customers.values()].find(matches);
  return {
    get: (id) => (id === undefined ? undefined : customers.get(id)),
    findByAccount: (number) => find(({ accountNumber }) => accountNumber === number),
    findByEmail: (address) =>
      find(({ emailAddress }) => emailAddress.toLowerCase() === address.toLowerCase()),
    addCustomer: (now) => put(newCustomer(randomBytes(16).toString('hex'), now)),
    update(id, change) {
      const customer = customers.get(id);
      if (!customer) throw new Error(`No customer ${id}`);
      return put(change(customer));
    },
  };
}
