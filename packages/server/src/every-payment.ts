import type { ListRequest, Payment, PaymentList } from '@embedded-sessions/server-types';
import { ServiceError } from './error.js';

/**
 * Yields every payment of a list. Requests each page only when it is needed.
 *
 * @throws ServiceError of kind `protocol` if a page has no list, or a cursor without payments, or one that leads back
 */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  const seen = new Set<ListRequest['Cursor']>();
  let page = request;

  for (;;) {
    seen.add(page.Cursor);
    const { Payments, NextCursor } = await list(page);
    if (!Array.isArray(Payments)) throw new ServiceError('protocol', 'No list of payments: check baseUrl.');

    yield* Payments;

    // An operator may send null instead of omitting the cursor.
    if (!NextCursor) return;
    if (Payments.length === 0 || seen.has(NextCursor))
      throw new ServiceError('protocol', 'NextCursor leads nowhere: tell the operator.');

    page = { ...request, Cursor: NextCursor };
  }
}
