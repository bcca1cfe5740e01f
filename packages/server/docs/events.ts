import type { ServiceClient } from '@embedded-sessions/server';

const account = { accountNumber: '1001', subAccountNumber: '' };

/** A customer married, moved to another address, and left AutoPay. The three arrive in this order. */
export async function pushChanges(client: Pick<ServiceClient, 'events'>): Promise<void> {
  const businessUnitSlug = 'harborlight-water';
  const customer = { ...account, firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.com' };
  await Promise.all([
    client.events.manageCustomer({ businessUnitSlug, payload: customer }),
    client.events.manageCustomer({
      businessUnitSlug,
      payload: {
        ...customer,
        emailAddress: 'ada@lovelace.example',
        originalEmailAddress: customer.emailAddress,
      },
    }),
    client.events.unenrollAutopay({ businessUnitSlug, payload: account }),
  ]);
}
