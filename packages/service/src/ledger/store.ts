import { sql, type Selectable, type Transaction } from 'kysely';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { EntryType, Ledger, LedgerEntry } from './rules.js';
import { preparedInsert } from '../platform/databases/prepared.js';
import { every } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const insert = preparedInsert('ledger');

export function ledger(tx: Transaction<Tables>): Ledger {
  const all = () => tx.selectFrom('ledger').selectAll();
  return {
    insert: async (entries) => {
      await Promise.all(entries.map((entry) => insert(tx, row(entry))));
    },
    ofPayment: (paymentId) =>
      every(all().where('payment_id', '=', paymentId).orderBy('line').execute(), entry),
    page: ({ businessUnit, from, to, after, limit }) => {
      let page = all()
        .where('business_unit', '=', businessUnit)
        .where('date', '>=', after?.date ?? from)
        .where('date', '<', to);
      if (after !== undefined)
        page = page.where(sql<boolean>`(date, id, line) > (${after.date}, ${after.id}, ${after.line})`);
      const ordered = page.orderBy('date').orderBy('id').orderBy('line').limit(limit);
      return every(ordered.execute(), entry);
    },
  };
}

function row(entry: LedgerEntry): Tables['ledger'] {
  return {
    id: entry.id,
    line: entry.line,
    business_unit: entry.businessUnit,
    date: entry.date,
    type: entry.type,
    payment_id: entry.paymentId,
    session_id: entry.sessionId,
    account_number: entry.accountNumber,
    sub_account_number: entry.subAccountNumber,
    description: entry.description,
    amount: entry.amount,
    method: entry.method,
    reference: entry.reference ?? null,
  };
}

function entry(found: Selectable<Tables['ledger']>): LedgerEntry {
  return {
    id: found.id,
    line: found.line,
    businessUnit: found.business_unit,
    date: found.date,
    type: found.type as EntryType,
    paymentId: found.payment_id,
    sessionId: found.session_id,
    accountNumber: found.account_number,
    subAccountNumber: found.sub_account_number,
    description: found.description,
    amount: found.amount,
    method: found.method as PaymentMethod,
    reference: found.reference ?? undefined,
  };
}
