/** What `checkProcessor` needs to know about the provider behind an adapter. */
import type {
  BankSource,
  CardSource,
  EventDelivery,
  PaymentProcessor,
  ProcessorContext,
} from '../processor/rules/port.js';

/** The provider's own records, such as its dashboard shows them. They prove what moved, cents. */
export interface ProviderBooks {
  /** One amount for each charge that the provider made for this `attemptId`. */
  charged(attemptId: string): Promise<readonly number[]>;
  /** One amount for each refund that the provider made for this `refundId`. */
  refunded?(refundId: string): Promise<readonly number[]>;
}

export interface ProcessorCheckOptions {
  /** A card that pays. Default: `4242 4242 4242 4242`. */
  readonly card?: CardSource;
  /** A card that is declined when it is charged. Default: `4000 0000 0000 0002`; null skips it. */
  readonly declinedCard?: CardSource | null;
  /** A card whose charge requires the payer. Without it, challenges are not checked. */
  readonly challengedCard?: CardSource;
  /** A bank account that pays. Default: routing number `110000000`; null if there are no bank payments. */
  readonly bank?: BankSource | null;
  /** Replaces fields of the context of every call, such as the business unit. */
  readonly context?: Partial<ProcessorContext>;
  /** What no error and no result may contain besides card and account numbers: API keys, passwords. */
  readonly secrets?: readonly string[];
  /**
   * More instances of the adapter, like other processes of the service. Calls alternate between them. Without any, an adapter
   * passes that remembers charges only in its memory.
   */
  readonly others?: readonly PaymentProcessor[];
  /** Without it, amounts are not checked, and double charges only by their references. */
  readonly books?: ProviderBooks;
  /**
   * Runs the work while the provider handles requests but its responses are lost. Without it, lost responses are not
   * checked.
   */
  readonly loseAnswers?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The provider's webhooks about the charges so far, signed. Without it, replays are not checked. */
  readonly deliveries?: () => Promise<readonly EventDelivery[]>;
  /** How long a lookup may reject after a lost response before it knows the charge, real ms. Default: a minute. */
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
/** Valid, and unknown to test environments. */
export const UNUSUAL_CARD: CardSource = { ...CARD, cardNumber: '4000000000000069', securityCode: '868' };
export const BANK: BankSource = {
  method: 'ACH',
  accountType: 'checking',
  holder: 'Ada Byron',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
