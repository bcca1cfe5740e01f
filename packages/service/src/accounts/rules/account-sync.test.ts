import { describe, expect, it } from 'vitest';
import { accountsOfCharges, mergeFields, replaceFields } from './account-sync.js';

const sent = { AccountNumber: '1', Name: 'Ada', Balance: 5, Note: 'n', Meter: 'digital' };

describe('account sync', () => {
  it('D-1 D-2 stores only the sent fields, without Note and custom fields', () => {
    expect(replaceFields(sent)).toEqual({ Name: 'Ada', Balance: 5 });
  });

  it('D-4 writes the fields present and keeps the rest', () => {
    expect(
      mergeFields({ Name: 'Ada', PhoneNumber: '1' }, { AccountNumber: '1', Balance: 0, Note: 'n' }),
    ).toEqual({
      Name: 'Ada',
      PhoneNumber: '1',
      Balance: 0,
    });
  });

  it('D-3 D-8 syncs each account once, with its last charge, in any order', () => {
    const charge = (AccountNumber: string, Name: string, SubAccountNumber?: string) => ({
      Amount: 1,
      ClientAccount: { AccountNumber, Name, ...(SubAccountNumber === undefined ? {} : { SubAccountNumber }) },
    });
    const accounts = accountsOfCharges([
      charge('2', 'b'),
      { Amount: 1 },
      charge('1', 'a', ''),
      charge('1', 'c'),
      charge('1', 's', '0'),
    ]);
    expect(accounts.map(({ key, fields }) => [key.accountNumber, key.subAccountNumber, fields.Name])).toEqual(
      [
        ['1', '', 'c'],
        ['1', '0', 's'],
        ['2', '', 'b'],
      ],
    );
  });
});
