import { expect, it } from 'vitest';
import { SECRETS } from '../../test/merchant.js';
import { startReceiver } from '../../test/receiver.js';
import { send } from '../webhooks/send.js';
import type { PayerMessage } from './rules.js';
import { sendSms } from './deliver.js';

it('R-104 reaches a gateway on a private network', async () => {
  const receiver = await startReceiver();
  const parts = { post: send, signal: AbortSignal.timeout(10_000) };
  const message = { id: 'eml_1', recipient: '+12075550199', businessUnit: 'water' } as PayerMessage;

  expect(await sendSms(parts, { url: receiver.url, secrets: SECRETS }, message, 'Thank you.')).toBe('sent');
  expect(receiver.received).toHaveLength(1);
  await receiver.close();
});
