/** Stores the test processor's charges, so that `lookup` works after a restart. */
export interface TestLedger {
  /** Stores the first charge of an attempt and returns it. A second charge changes nothing. */
  charge(entry: TestCharge): Promise<TestCharge>;
  find(attemptId: string): Promise<TestCharge | null>;
  /** Stores the first answer to the challenge of an attempt. A second answer changes nothing. */
  answerChallenge(attemptId: string, answer: ChallengeAnswer): Promise<void>;
  /** Stores the first refund of an id and returns it. */
  refund(entry: TestRefund): Promise<TestRefund>;
}

export interface TestRefund {
  refundId: string;
  attemptId: string;
  amount: number;
  refundedAt: number;
}

export interface TestCharge {
  attemptId: string;
  token: string;
  amount: number;
  chargedAt: number;
  /** Absent until the challenge is answered, if there is one. */
  challenge?: ChallengeAnswer;
}

export type ChallengeAnswer = 'approved' | 'declined' | 'canceled';
