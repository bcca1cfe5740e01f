import { expect, it } from 'vitest';
import { createMetrics, withoutTails } from './metrics.js';

it('R-50 no number of the metrics has a tail of digits that could be a card', async () => {
  expect(withoutTails('a_sum 0.14000000000000002\nb 4.000000000000000e-7\nc 1795277572\n')).toBe(
    'a_sum 0.14\nb 4e-7\nc 1795277572\n',
  );
  const metrics = createMetrics();
  for (const ms of [20, 120]) metrics.request({ route: '/s/:id', method: 'GET', status: 200, ms });
  expect(await metrics.text()).toContain('http_request_duration_seconds_sum{route="/s/:id"} 0.14\n');
});
