/** Lists of payments, page after page. */
import type { ListRequest, Payment, PaymentList } from '@embedded-sessions/server-types';

/** Every payment of a list; a page is asked for when it is needed. */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  let page: ListRequest | undefined = request;
  while (page) {
    const { Payments, NextCursor }: PaymentList = await list(page);
    yield* Payments;
    page = NextCursor === undefined ? undefined : { ...request, Cursor: NextCursor };
  }
}
