import type { ServiceClient } from '@embedded-sessions/server';

const businessUnitSlug = 'harborlight-water';
const account = { accountNumber: '1001', subAccountNumber: '' };

/** A customer married, changed their e-mail address, and left AutoPay. */
export async function pushChanges(client: Pick<ServiceClient, 'events'>): Promise<void> {
  const customer = { ...account, firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.com' };
  const moved = {
    ...customer,
    emailAddress: 'ada@lovelace.example',
    originalEmailAddress: customer.emailAddress,
  };

  await client.events.manageCustomer({ businessUnitSlug, payload: customer });
  await client.events.manageCustomer({ businessUnitSlug, payload: moved });
  await client.events.unenrollAutopay({ businessUnitSlug, payload: account });
}
