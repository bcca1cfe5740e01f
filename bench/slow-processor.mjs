// A processor that takes SLOW_MS for each charge.
import { setTimeout as delay } from 'node:timers/promises';

const succeed = () => delay(Number(process.env.SLOW_MS), 'succeeded');

export default {
  tokenize: async () => ({ token: 'tok_slow', last4: '4242', brand: 'Visa' }),
  charge: succeed,
  lookup: succeed,
};
