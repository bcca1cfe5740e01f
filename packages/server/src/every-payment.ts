/** Lists of payments, page after page. */
import type { ListRequest, Payment, PaymentList } from '@embedded-sessions/server-types';
import { ServiceError } from './error.js';

/**
 * Every payment of a list; a page is asked for when it is needed.
 *
 * @throws ServiceError `protocol` where a page leads back to one before: its payments would be told again, without end
 */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  let cursor = request.Cursor;
  const asked = new Set<string>();
  do {
    if (cursor !== undefined) asked.add(cursor);
    const page: PaymentList = await list(cursor === undefined ? request : { ...request, Cursor: cursor });
    yield* page.Payments;
    cursor = page.NextCursor;
    if (cursor !== undefined && asked.has(cursor))
      throw new ServiceError(
        'protocol',
        'The list of payments has no end: a page named a NextCursor that had been asked for already. Tell the operator.',
      );
  } while (cursor !== undefined);
}
