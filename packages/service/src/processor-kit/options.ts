/** Describes the provider behind a processor module, for `checkProcessor`. */
import type {
  BankSource,
  CardSource,
  EventDelivery,
  PaymentProcessor,
  ProcessorContext,
} from '../processor/rules/port.js';

/** The provider's own records, such as those in its dashboard, cents. They prove which money moved. */
export interface ProviderBooks {
  /** The amounts of all charges for this `attemptId`; none if it was declined. */
  charged(attemptId: string): Promise<readonly number[]>;
  /** The amounts of all refunds for this `refundId`. */
  refunded?(refundId: string): Promise<readonly number[]>;
}

export interface ProcessorCheckOptions {
  /** A card that pays. Default: `4242 4242 4242 4242`. */
  readonly card?: CardSource;
  /** A card whose charges are declined. Default: `4000 0000 0000 0002`; null skips this check. */
  readonly declinedCard?: CardSource | null;
  /** A card whose charges require a challenge. If missing, only `cancel` is checked. */
  readonly challengedCard?: CardSource;
  /** A bank account that pays. Default: routing number `110000000`; null if there are no bank payments. */
  readonly bank?: BankSource | null;
  /** Replaces fields of the context of every call, such as the business unit. */
  readonly context?: Partial<ProcessorContext>;
  /** API keys and passwords. Like card and account numbers, they must not appear in any error or result. */
  readonly secrets?: readonly string[];
  /**
   * More instances of the module, like other processes of the service. Calls alternate between them. Without any, a
   * module that remembers charges only in memory passes.
   */
  readonly others?: readonly PaymentProcessor[];
  /** If missing, amounts are not checked, and double charges only by their references. */
  readonly books?: ProviderBooks;
  /**
   * Runs the work while the provider handles requests but its responses are lost. Without it, lost responses are not
   * checked.
   */
  readonly loseAnswers?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The provider's signed webhooks about the charges so far. If missing, replays are not checked. */
  readonly deliveries?: () => Promise<readonly EventDelivery[]>;
  /** Lookups may reject for this long after a lost response, real ms. Default: a minute. */
  readonly lookupWithinMs?: number;
}

export const CARD: CardSource = {
  method: 'Credit Card',
  cardNumber: '4242424242424242',
  expiry: '12/34',
  securityCode: '737',
  name: 'Ada Byron',
  country: 'US',
  zipCode: '10001',
};
export const DECLINED_CARD: CardSource = { ...CARD, cardNumber: '4000000000000002' };
/** Valid but unknown to test environments. */
export const UNUSUAL_CARD: CardSource = { ...CARD, cardNumber: '4000000000000069', securityCode: '868' };
export const BANK: BankSource = {
  method: 'ACH',
  accountType: 'checking',
  holder: 'Ada Byron',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
