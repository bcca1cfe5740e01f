import { expect, it } from 'vitest';
import { sessionDetails } from './session-details.js';
import type { Session } from './session.js';

const EXPIRES_AT = 1_000;
const waiting = {
  id: 'stg_1',
  businessUnit: 'water',
  secretKeyId: 'k',
  createdAt: 0,
  expiresAt: EXPIRES_AT,
  declines: 0,
  flow: 'payment',
  status: 'RequiresPaymentSource',
  request: { Channel: 'QuickPay', Charges: [{ Amount: 100 }] },
} as unknown as Session;

it('R-51 R-55 returns a session as expired on time, even before a job runs', () => {
  expect(sessionDetails(waiting, [], EXPIRES_AT - 1)).toMatchObject({ Status: 'RequiresPaymentSource' });
  expect(sessionDetails(waiting, [], EXPIRES_AT)).toMatchObject({ Status: 'Expired' });
});
