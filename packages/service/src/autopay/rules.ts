/** AutoPay enrollments: one per account. */

export interface Enrollment {
  readonly businessUnit: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly methodId: string;
  /** The session that enrolled it. */
  readonly sessionId: string;
  /** Ms since the epoch. */
  readonly enrolledAt: number;
  /** The bank debit authorization that the payer accepted. */
  readonly authorizationId?: string;
}

export interface Autopay {
  ofAccount(accountId: string): Promise<Enrollment | null>;
  ofMethod(methodId: string): Promise<Enrollment[]>;
  insert(enrollment: Enrollment): Promise<void>;
  /** Writes `methodId` and `authorizationId`. */
  update(enrollment: Enrollment): Promise<void>;
  remove(accountId: string): Promise<void>;
  list(businessUnit: string): Promise<Enrollment[]>;
}
