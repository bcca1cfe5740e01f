/** Lists of payments, page after page. */
import type { ListRequest, Payment, PaymentList } from '@embedded-sessions/server-types';

/** Every payment of a list; a page is asked for when it is needed. */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  let cursor: string | undefined;
  do {
    const page: PaymentList = await list(cursor === undefined ? request : { ...request, Cursor: cursor });
    yield* page.Payments;
    cursor = page.NextCursor;
  } while (cursor !== undefined);
}
