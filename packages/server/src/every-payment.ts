/** Lists of payments, page after page. */
import type { ListRequest, Payment, PaymentList } from '@embedded-sessions/server-types';
import { ServiceError } from './error.js';

/**
 * Every payment of a list; a page is asked for when it is needed.
 *
 * @throws ServiceError `protocol` where a page is none, or leads back to one before: its payments would be told again, without end
 */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  let next = request;
  const asked = new Set<ListRequest['Cursor']>();
  for (;;) {
    asked.add(next.Cursor);
    const { Payments, NextCursor } = await list(next);
    if (!Array.isArray(Payments)) throw new ServiceError('protocol', 'No list of payments: check baseUrl.');
    yield* Payments;
    // An operator's serializer may write what is absent as null.
    if (!NextCursor) return;
    if (asked.has(NextCursor))
      throw new ServiceError(
        'protocol',
        'The list of payments has no end: a NextCursor leads back. Tell the operator.',
      );
    next = { ...request, Cursor: NextCursor };
  }
}
