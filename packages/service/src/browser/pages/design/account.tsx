/** An account of the merchant, as far as its session tells of it. */
import type { PageAccount } from '../../../wire/page.js';
import { day } from '../format/date.js';
import { inert } from '../format/inert.js';
import { money } from '../format/money.js';
import { t } from '../text/index.js';

/** `Account 1001 · Due Dec 1, 2026`, the rest behind "Details", the merchant's note in the open. */
export function AccountDetails({ account }: { account: PageAccount }) {
  const rows: [string, string][] = [];
  if (account.balance !== undefined) rows.push([t.account.balance, money(account.balance)]);
  if (account.issueDate !== undefined) rows.push([t.account.issued, day(account.issueDate)]);
  if (account.phoneNumber !== undefined) rows.push([t.account.phone, inert(account.phoneNumber, 60)]);
  const address = addressText(account.address);
  if (address !== '') rows.push([t.account.address, address]);
  return (
    <div class="account">
      <p>
        <bdi>{accountName(account)}</bdi>
        {account.dueDate !== undefined && (
          <>
            {' · '}
            {t.account.due} {day(account.dueDate)}
          </>
        )}
      </p>
      {account.note !== undefined && account.note !== '' && (
        <p class="note">
          <span class="visually-hidden">{t.account.note}: </span>
          <bdi>{inert(account.note, 1000)}</bdi>
        </p>
      )}
      {rows.length > 0 && (
        <details>
          <summary>{t.account.details}</summary>
          <dl class="rows">
            {rows.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

/** `Account 1001-02`, with the name where there is one. */
export function accountName({ accountNumber, subAccountNumber, name }: PageAccount): string {
  const number = inert(subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`, 80);
  const said = t.common.accountNumber(number);
  return name === undefined || name === '' ? said : `${inert(name, 120)} · ${said}`;
}

function addressText(address: PageAccount['address']): string {
  if (address === undefined) return '';
  const region = [address.state, address.zipCode].filter(Boolean).join(' ');
  return [address.streetAddress, address.streetAddress2, address.city, region]
    .filter((part): part is string => part !== undefined && part !== '')
    .map((part) => inert(part, 100))
    .join(', ');
}
