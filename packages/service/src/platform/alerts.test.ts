import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.js';

const file = fileURLToPath(new URL('../../deploy/alerts.yml', import.meta.url));
const rules = readFileSync(file, 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

it('every metric of the alert rules exists before anything has happened', async () => {
  const text = await createMetrics().text({
    messages: 0,
    processingMs: 0,
    areJobsHeld: false,
    pool: { used: 0, size: 10 },
  });
  const names = new Set(
    [...rules.matchAll(/\b([a-z_]+)\{job="embedded-sessions"/g)].map(([, name]) => name ?? ''),
  );
  names.delete('up');
  expect(names.size).toBeGreaterThan(8);
  const missing = [...names].filter((name) => !text.includes(name.replace(/_bucket$/, '')));
  expect(missing).toEqual([]);
});

it('counters that rarely grow begin at zero, so that their first event alerts', async () => {
  const text = await createMetrics().text();
  for (const line of [
    'payments_total{status="unknown"} 0',
    'webhook_attempts_total{status="failed"} 0',
    'webhook_attempts_total{status="disabled"} 0',
    'jobs_failed_total{job="sweep"} 0',
  ])
    expect(text).toContain(line);
});

it.runIf(hasPromtool)('promtool accepts the alert rules', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});
