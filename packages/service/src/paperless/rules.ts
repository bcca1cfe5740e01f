/** Paperless billing, per account and customer. Bills go to the customer's e-mail address. */

export interface PaperlessEnrollment {
  readonly businessUnit: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly enrolledAt: number;
}

export interface Paperless {
  find(accountId: string, customerId: string): Promise<PaperlessEnrollment | null>;
  insert(enrollment: PaperlessEnrollment): Promise<unknown>;
  remove(accountId: string, customerId: string): Promise<unknown>;
  list(businessUnit: string): Promise<PaperlessEnrollment[]>;
}
