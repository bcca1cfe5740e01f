/** What a book-keeper takes from the command line. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { BUSINESS_UNIT, startService } from '../harness/index.js';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;

it('R-82 exports payments as CSV whose sum is what was taken less what was given back', async () => {
  const service = await startService();
  const ids: string[] = [];
  for (const cardNumber of ['4242424242424242', '4242424242424242', '4000000000000002']) {
    const { sessionId, sessionUrl } = await service.create('payment', {
      ClientReference: `bill, "${ids.length}"`,
      Charges: [{ Amount: 1_000, Description: 'Water' }],
    });
    const paid = await fetch(`${service.url}/s/${sessionId}/api/pay`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${new URL(sessionUrl).hash.slice(1)}`,
      },
      body: JSON.stringify({
        attemptId: randomUUID(),
        source: {
          method: 'Credit Card',
          cardNumber,
          expiry: '12/34',
          securityCode: '123',
          name: '=Ada',
          zipCode: '10001',
        },
        saveMethod: false,
        charges: [{ index: 0, amount: 1_000 }],
        fields: {},
      }),
    });
    expect(paid.status).toBe(200);
    ids.push(sessionId);
  }
  const list = await service.post('/integrations/payments/list', { BusinessUnitSlug: BUSINESS_UNIT });
  const [first] = (list.body as { data: { Payments: { Id: string }[] } }).data.Payments;
  await service.post('/integrations/payments/refund', {
    BusinessUnitSlug: BUSINESS_UNIT,
    PaymentIdentifier: first?.Id,
    Amount: 250,
  });
  const csv = (...more: string[]): string[] =>
    execFileSync(
      process.execPath,
      [CLI, 'payments', 'export', '--business-unit', BUSINESS_UNIT, '--database', service.database, ...more],
      { encoding: 'utf8' },
    )
      .trimEnd()
      .split('\n');
  const [header = '', ...rows] = csv();
  const net = header.split(',').indexOf('Net');
  expect(rows.map((row) => Number(row.split(',')[net])).reduce((sum, amount) => sum + amount, 0)).toBe(1_750);
  expect(rows.map((row) => row.split(',')[2])).toEqual(['succeeded', 'succeeded', 'declined']);
  expect(rows[0]).toContain('"bill, ""0"""');
  expect(csv('--to', '2020-01-01')).toEqual([header]);
  await service.stop();
});
