import type { PageAccount } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { day } from '../format/date.js';
import { money } from '../format/money.js';
import { rest } from '../text/index.js';
import { DetailRows, type DetailRow } from './detail-rows.js';

interface AccountRowsProps {
  account: PageAccount;
  /** Rows to show first. */
  more: readonly DetailRow[];
}

/** The details of an account that are not in its first line. */
export function AccountRows({ account, more }: AccountRowsProps) {
  const rows = [...more];
  if (account.balance !== undefined) rows.push([rest.account.balance, money(account.balance)]);
  if (account.issueDate !== undefined) rows.push([rest.account.issued, day(account.issueDate)]);
  if (account.phoneNumber !== undefined) rows.push([rest.account.phone, inert(account.phoneNumber, 60)]);
  const address = addressText(account.address);
  if (address !== '') rows.push([rest.account.address, address]);
  return <DetailRows rows={rows} />;
}

function addressText(address: PageAccount['address']): string {
  if (address === undefined) return '';

  const region = [address.state, address.zipCode].filter(Boolean).join(' ');
  return [address.streetAddress, address.streetAddress2, address.city, region]
    .filter((part): part is string => part !== undefined && part !== '')
    .map((part) => inert(part, 100))
    .join(', ');
}
