/** operators write adapters against these names. */
import { expectTypeOf } from 'vitest';
import type { checkProcessor } from '../processor-kit/index.js';
import type { PaymentProcessor, ProcessorContext, ProcessorEvent } from '../index.js';

type Context = Pick<
  ProcessorContext,
  'reference' | 'channel' | 'initiator' | 'payer' | 'authorization' | 'returnUrl'
>;
expectTypeOf<Context>().toEqualTypeOf<{
  reference?: string;
  channel: 'QuickPay' | 'POS' | 'AutoPay' | 'Scheduled';
  initiator: 'payer' | 'agent' | 'merchant';
  payer?: { email?: string; ip?: string; userAgent?: string };
  authorization?: { text: string; at: string };
  returnUrl?: string;
}>();

expectTypeOf<ProcessorEvent>().toEqualTypeOf<{
  attemptId?: string;
  refundId?: string;
  reference?: string;
  outcome: 'succeeded' | 'declined' | 'pending' | 'returned' | 'failed';
  reason?: string;
  amount?: number;
  currency?: string;
}>();

/** An adapter without type annotations. */
const adapter = {
  frameOrigins: ['https://challenges.gateway.example'],
  async tokenize() {
    return { token: 'tok', last4: '4242' };
  },
  async charge() {
    return {
      outcome: 'requires_action' as const,
      action: { url: 'https://challenges.gateway.example/7' },
      reference: 'ch_7',
    };
  },
  async lookup() {
    return { outcome: 'requires_action' as const, action: { url: 'https://challenges.gateway.example/7' } };
  },
  async receive({ headers, body }: { headers: Headers; body: Uint8Array }) {
    return [{ reference: headers.get('x-charge') ?? '', outcome: 'returned' as const, reason: String(body) }];
  },
  async forget(token: string, { businessUnit }: ProcessorContext) {
    console.log(token.length, businessUnit);
  },
};
expectTypeOf(adapter).toExtend<PaymentProcessor>();
expectTypeOf<typeof adapter>().toExtend<Parameters<typeof checkProcessor>[0]>();
expectTypeOf<Parameters<typeof checkProcessor>[1]>().toExtend<object | undefined>();
