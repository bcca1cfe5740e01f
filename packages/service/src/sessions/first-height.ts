/** About how high a session's page will be when it is opened: told by the end of the session's id. */
import type { Flow, SessionRequests } from '@embedded-sessions/server-types';
import { accountKey } from '../accounts/rules/account-sync.js';
import { toldSchedules } from '../schedules/rules.js';
import type { Schedule } from '../schedules/rules.js';
import { offeredCharges } from '../payments/rules/payment.js';
import type { Store, StoreTx } from '../core/store.js';
import { walletOf } from '../wallet/methods.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { HEIGHT_UNIT, PAYMENT_HEIGHT } from '../shared/first-height.js';
import { AHEAD } from '../shared/schedule.js';

/** CSS px: in a place 375 px wide, and in the modal. */
type Heights = readonly [narrow: number, wide: number];

/** Measured; a test in `e2e/pages` fails where a page has come to be of another height. */
const HEIGHTS: Readonly<Record<Flow, Heights>> = {
  payment: [960, PAYMENT_HEIGHT],
  autopay: [1160, 960],
  wallet: [487, 448],
  paperless: [612, 527],
  'schedule-payment': [1340, 1100],
  'scheduled-payments': [415, 376],
  notifications: [1069, 962],
};

/**
 * What the end of a new session's id says of its page's height. Where that is up to what was kept before, it is looked at
 * ahead of the transaction that makes the session, whose id must not change when it is run again: a guess, and nothing but
 * looks depends on it.
 */
export async function firstHeight<F extends Flow>(
  store: Store,
  flow: F,
  request: SessionRequests[F],
  { slug: businessUnit, allowAmountAdjustment }: Pick<BusinessUnit, 'slug' | 'allowAmountAdjustment'>,
): Promise<string> {
  if (flow === 'payment')
    return heightsAsIdEnd(paymentHeights(request as SessionRequests['payment'], allowAmountAdjustment));
  const { EmailAddress } = request.ClientUser ?? {};
  if (EmailAddress === undefined || (flow !== 'wallet' && flow !== 'scheduled-payments'))
    return heightsAsIdEnd(HEIGHTS[flow]);
  const heights = await store.read(async (tx): Promise<Heights> => {
    const customer = await tx.customers.find(businessUnit, EmailAddress);
    if (customer === null) return HEIGHTS[flow];
    if (flow === 'wallet') return walletHeights(await walletOf(tx, customer.id));
    return scheduledHeights(await schedulesOf(tx, request as AccountRequest, businessUnit, customer.id));
  });
  return heightsAsIdEnd(heights);
}

/** Two digits each: at most as high as they can say, which is higher than any frame. */
export function heightsAsIdEnd(heights: Heights): string {
  return heights
    .map((height) =>
      Math.min(36 ** 2 - 1, Math.round(height / HEIGHT_UNIT))
        .toString(36)
        .padStart(2, '0'),
    )
    .join('');
}

type AccountRequest = SessionRequests['scheduled-payments'];

async function schedulesOf(
  tx: StoreTx,
  { ClientAccount }: AccountRequest,
  businessUnit: string,
  customerId: string,
): Promise<Schedule[]> {
  const { accountNumber, subAccountNumber } = accountKey(ClientAccount);
  const account = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
  return account === null ? [] : toldSchedules(tx.schedules, account.id, customerId);
}

const sum = (all: readonly Heights[]): Heights =>
  all.reduce(([narrow, wide], [more, wider]) => [narrow + more, wide + wider], [0, 0]);

type PaymentRequest = SessionRequests['payment'];
type PaymentMethod = NonNullable<PaymentRequest['PaymentMethods']>[number];

/** What a merchant asks to be paid, and how. Of what the payer has kept nothing is looked up: a payment is made at once. */
export function paymentHeights(
  { Charges, PaymentMethods, PaymentDescriptor, ReturnUrl }: PaymentRequest,
  allowAmountAdjustment: boolean,
): Heights {
  const only = PaymentMethods?.length === 1 ? PaymentMethods[0] : undefined;
  const [narrow, wide] = only === undefined ? [0, 0] : ONLY[only];
  const more =
    (PaymentDescriptor === undefined ? 0 : 24) +
    (ReturnUrl === undefined ? 0 : 44) +
    chargesHeight(Charges, allowAmountAdjustment);
  return [HEIGHTS.payment[0] + narrow + more, HEIGHTS.payment[1] + wide + more];
}

/** What a form is higher that offers no other way to pay. */
const ONLY: Readonly<Record<PaymentMethod, Heights>> = { ACH: [78, 137], 'Credit Card': [-60, 0] };

/** Of the lines that are in the open: many are folded. */
function chargesHeight(charges: PaymentRequest['Charges'], allowAmountAdjustment: boolean): number {
  let accounts = 0;
  for (const { ClientAccount } of charges)
    if (ClientAccount !== undefined) accounts += hasDetails(ClientAccount) ? 48 : 21;
  const count = charges.length;
  if (count === 1) return accounts;
  const offered = offeredCharges(charges, allowAmountAdjustment);
  const chooses = offered.some(({ selectable }) => selectable);
  if (count > (chooses ? 4 : 3)) return -12;
  const list = chooses ? 31 : -3;
  return offered.reduce((height, { adjustable }) => height + (adjustable ? 83 : 49), accounts + list);
}

const hasDetails = ({ Balance, IssueDate, PhoneNumber, Address }: Account): boolean =>
  [Balance, IssueDate, PhoneNumber, Address].some((part) => part !== undefined);

type Account = NonNullable<PaymentRequest['Charges'][number]['ClientAccount']>;

/** A card has one action more than a bank account, which in a narrow place needs a line of its own. */
export function walletHeights(
  wallet: readonly { readonly method: { readonly method: string }; readonly uses: readonly unknown[] }[],
): Heights {
  if (wallet.length === 0) return HEIGHTS.wallet;
  const rows = wallet.map(({ method: { method }, uses }, place): Heights => {
    const row: Heights = [place > 0 && method !== 'ACH' ? 146 : 106, 106];
    return uses.length === 0 ? row : sum([row, [92, 70]]);
  });
  return sum([[432, 389], ...rows]);
}

/** What is to come can be canceled; what was stands below it under a heading of its own. */
export function scheduledHeights(payments: readonly Pick<Schedule, 'status'>[]): Heights {
  const past = payments.filter(({ status }) => !AHEAD.includes(status));
  const ahead = payments.length - past.length;
  return sum([
    ahead === 0 ? HEIGHTS['scheduled-payments'] : [378 + 128 * ahead, 340 + 106 * ahead],
    past.length === 0 ? [0, 0] : [46, 46],
    ...past.map(({ status }): Heights => (status === 'failed' ? [86, 86] : [64, 64])),
  ]);
}
