import { describe, expect, it } from 'vitest';
import { MAX_DECLINES, statusAt, transition, type Session, type SessionEvent } from './session.js';

const NOW = 1_000;
const base = {
  id: 'stg_1',
  businessUnit: 'water',
  secretKeyId: 'k',
  createdAt: 0,
  expiresAt: NOW + 1,
  declines: 0,
};
const payment = (status: Session['status'], more: object = {}): Session =>
  ({ ...base, flow: 'payment', status, request: {}, ...more }) as Session;
const management = (status: Session['status'], more: object = {}): Session =>
  ({ ...base, flow: 'wallet', status, request: {}, customerId: 'c', ...more }) as Session;

/** The state after an event, or the refusal. */
function after(session: Session, event: SessionEvent, now = NOW): string {
  const next = transition(session, event, now);
  return typeof next === 'string' ? `refused: ${next}` : next.status;
}

describe('states', () => {
  it.each<[Session['status'], SessionEvent, string]>([
    ['RequiresPaymentSource', 'attempt-started', 'Processing'],
    ['Processing', 'attempt-started', 'refused: in-flight'],
    ['Succeeded', 'attempt-started', 'refused: already-paid'],
    ['Failed', 'attempt-started', 'refused: failed'],
    ['Expired', 'attempt-started', 'refused: expired'],
    ['Processing', 'attempt-succeeded', 'Succeeded'],
    ['Processing', 'attempt-declined', 'RequiresPaymentSource'],
    ['Processing', 'attempt-returned', 'Failed'],
    ['RequiresPaymentSource', 'attempt-succeeded', 'refused: not-now'],
    ['Succeeded', 'attempt-declined', 'refused: not-now'],
    ['Succeeded', 'attempt-returned', 'Failed'],
    ['RequiresPaymentSource', 'attempt-returned', 'refused: not-now'],
    ['RequiresPaymentSource', 'canceled', 'Canceled'],
    ['Processing', 'canceled', 'refused: in-flight'],
    ['Succeeded', 'canceled', 'refused: already-paid'],
    ['Canceled', 'canceled', 'Canceled'],
    ['Canceled', 'attempt-started', 'refused: canceled'],
    ['Succeeded', 'completed', 'refused: not-now'],
    ['Open', 'attempt-started', 'refused: not-now'],
    ['Completed', 'attempt-started', 'refused: not-now'],
    ['Completed', 'canceled', 'Canceled'],
  ])('R-44 %s on %s: %s', (status, event, expected) => {
    expect(after(payment(status), event)).toBe(expected);
  });

  it('R-44 expires only from RequiresPaymentSource and Open, and only on time', () => {
    for (const status of ['RequiresPaymentSource', 'Open'] as const) {
      const session = status === 'Open' ? management(status) : payment(status);
      expect(after(session, 'expired', NOW)).toBe('refused: not-now');
      expect(after(session, 'expired', NOW + 1)).toBe('Expired');
    }
    for (const status of ['Processing', 'Succeeded', 'Failed'] as const)
      expect(after(payment(status), 'expired', NOW + 9_999)).toBe('refused: not-now');
    expect(after(management('Completed'), 'expired', NOW + 9_999)).toBe('refused: not-now');
  });

  it('R-51 expires exactly on time, even before the job runs', () => {
    expect(statusAt(payment('RequiresPaymentSource'), NOW)).toBe('RequiresPaymentSource');
    expect(statusAt(payment('RequiresPaymentSource'), NOW + 1)).toBe('Expired');
    expect(after(payment('RequiresPaymentSource'), 'attempt-started', NOW + 1)).toBe('refused: expired');
    expect(after(management('Open'), 'completed', NOW + 1)).toBe('refused: expired');
  });

  it('R-44 a payment in flight finishes after expiry', () => {
    expect(after(payment('Processing'), 'attempt-succeeded', NOW + 9_999)).toBe('Succeeded');
  });

  it('R-44 accepts no attempt after ten declines', () => {
    let session = payment('RequiresPaymentSource');
    for (let n = 0; n < MAX_DECLINES; n++) {
      session = transition(session, 'attempt-started', NOW) as Session;
      expect(session.status).toBe('Processing');
      session = transition(session, 'attempt-declined', NOW) as Session;
    }
    expect(session.declines).toBe(10);
    expect(after(session, 'attempt-started')).toBe('refused: too-many-attempts');
  });

  it('R-44 Done completes a management session and is idempotent', () => {
    expect(after(management('Open'), 'completed')).toBe('Completed');
    const completed = management('Completed');
    expect(transition(completed, 'completed', NOW + 9_999)).toBe(completed);
  });

  it('R-81 canceling again changes nothing', () => {
    const canceled = payment('Canceled');
    expect(transition(canceled, 'canceled', NOW + 1)).toBe(canceled);
  });
});
