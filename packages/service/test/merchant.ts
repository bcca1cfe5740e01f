/** The merchant of the service's tests: a business unit, its key and webhook secrets, and a request for each flow. */
import type { Flow } from '@embedded-sessions/server-types';

export const SLUG = 'harborlight-water';
export const API_KEY = 'stg_test_key_0123456789';
export const SECRETS = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
] as const;

/** A config with only that business unit. */
export const config = (businessUnit: Record<string, unknown> = {}): unknown => ({
  businessUnits: [
    {
      slug: SLUG,
      name: 'Harborlight Water',
      agents: [{ email: 'agent@harborlight.example', pos: true }],
      ...businessUnit,
    },
  ],
  apiKeys: [{ key: API_KEY, businessUnits: [SLUG] }],
});

export const CUSTOMER = { ClientUser: { EmailAddress: 'ada@example.com' } };
export const account = (AccountNumber: string, more: Record<string, unknown> = {}) => ({
  ClientAccount: { AccountNumber, Name: `Account ${AccountNumber}`, ...more },
});

const withAccount = {
  ...CUSTOMER,
  SyncAccount: true,
  ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' },
};

/** A valid request body for each flow, without the business unit. */
export const REQUESTS: Readonly<Record<Flow, Record<string, unknown>>> = {
  payment: { Channel: 'QuickPay', Charges: [{ Amount: 12_345, Description: 'Water' }] },
  autopay: withAccount,
  paperless: withAccount,
  'schedule-payment': withAccount,
  'scheduled-payments': withAccount,
  wallet: CUSTOMER,
  notifications: CUSTOMER,
};
