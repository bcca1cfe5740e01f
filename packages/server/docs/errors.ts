import { isServiceError, type ServiceClient } from '@embedded-sessions/server';
import type { PaymentSessionRequest } from '@embedded-sessions/server-types';

/** Starts a payment, or returns a message for the agent. */
export async function startPayment(client: ServiceClient, request: PaymentSessionRequest): Promise<string> {
  try {
    return (await client.payments.create(request)).sessionUrl;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.kind === 'validation')
      return error.errors.map(({ field, message }) => `${field ?? 'request'}: ${message}`).join('\n');
    if (error.kind === 'referenceConflict')
      return error.ambiguous ? 'It may have started already: look it up.' : 'That reference is taken.';
    if (['rateLimit', 'connection', 'timeout', 'server'].includes(error.kind))
      return 'Try again in a minute.';

    throw error; // a wrong key or URL: the agent cannot help
  }
}
