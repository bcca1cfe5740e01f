import { expect, it } from 'vitest';
import { Metrics, roundSums } from './metrics.js';

it('R-50 no metric value has digits that could be a card number', async () => {
  expect(roundSums('a_sum 0.14000000000000002\nb 4.000000000000000e-7\nc 1795277572\n')).toBe(
    'a_sum 0.14\nb 4e-7\nc 1795277572\n',
  );
  const metrics = new Metrics();
  for (const ms of [20, 120]) metrics.request({ route: '/s/:id', method: 'GET', status: 200, ms });
  expect(await metrics.text()).toContain('http_request_duration_seconds_sum{route="/s/:id"} 0.14\n');
});

it('webhook gauges have labels for the 50 business units that wait longest, and one for all others', async () => {
  const metrics = new Metrics();
  const messages = Array.from({ length: 60 }, (_, index) => ({
    businessUnit: `unit-${index}`,
    count: 20_000,
    ageMs: index * 1000,
  }));
  const lines = (await metrics.text({ messages })).split('\n').filter((line) => line.startsWith('webhook_m'));
  expect(lines).toHaveLength(2 * 51);
  expect(lines).toContain('webhook_messages_pending{business_unit="unit-10"} 20000');
  expect(lines).toContain('webhook_messages_oldest_seconds{business_unit="unit-59"} 59');
  expect(lines).toContain('webhook_messages_pending{business_unit="(other)"} 200000');
  expect(lines).toContain('webhook_messages_oldest_seconds{business_unit="(other)"} 9');

  // A unit whose messages were delivered loses its label.
  const later = await metrics.text({ messages: messages.slice(0, 1) });
  expect(later).not.toContain('unit-59');
  expect(await metrics.text()).not.toContain('webhook_messages_pending{');
});
