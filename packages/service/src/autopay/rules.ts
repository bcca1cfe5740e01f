/** AutoPay enrollments. An account has at most one. */
import type { WaitingRows } from '../core/queue-rows.js';

export interface Enrollment {
  readonly businessUnit: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly methodId: string;
  readonly sessionId: string;
  readonly enrolledAt: number;
  readonly authorizationId?: string;
  /** The day on which the service will charge the balance; absent once it has. */
  readonly dueDate?: string;
}

export interface Autopay {
  ofAccount(accountId: string): Promise<Enrollment | null>;
  insert(enrollment: Enrollment): Promise<unknown>;
  /** Writes `methodId`, `authorizationId` and `dueDate`. */
  update(enrollment: Enrollment): Promise<unknown>;
  /** A no-op if the account isn't enrolled. */
  setDueDate(accountId: string, dueDate: string | null): Promise<unknown>;
  /** Enrollments whose due date the service has yet to handle. */
  readonly waiting: WaitingRows;
  remove(accountId: string): Promise<unknown>;
  list(businessUnit: string): Promise<Enrollment[]>;
}
