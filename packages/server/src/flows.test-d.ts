// Every flow has a method of the client.
import type { Flow, SessionRequests } from '@embedded-sessions/server-types';
import type { ServiceClient } from './index.js';

export const CREATE: {
  readonly [F in Flow]: (client: ServiceClient, request: SessionRequests[F]) => Promise<unknown>;
} = {
  payment: (client, request) => client.payments.create(request),
  autopay: (client, request) => client.autopay.create(request),
  wallet: (client, request) => client.wallet.create(request),
  paperless: (client, request) => client.paperless.create(request),
  'schedule-payment': (client, request) => client.schedulePayment.create(request),
  'scheduled-payments': (client, request) => client.scheduledPayments.create(request),
  notifications: (client, request) => client.notifications.create(request),
};
