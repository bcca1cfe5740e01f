/** Alert rules, dashboard and documented objectives only use existing metrics and labels. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(pathOf(name), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}
const { groups } = parse(read('deploy/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const { panels } = JSON.parse(read('deploy/dashboard.json')) as { panels: Panel[] };

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, expr.replaceAll('$__rate_interval', '5m')]),
  ),
  ...[...read('../../docs/monitoring.md').matchAll(/```promql\n([^]*?)```/g)].map(
    ([, expr = '']): [string, string] => ['docs/monitoring.md', expr],
  ),
];

interface Selector {
  metric: string;
  labels: [name: string, value: string][];
}

/** Throws if the expression is not PromQL. */
function selectorsOf(expr: string): Selector[] {
  const found: Selector[] = [];
  parser.parse(expr).iterate({
    enter: (node) => {
      const text = expr.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`Not PromQL at ${node.from}: ${expr}`);
      if (node.name === 'VectorSelector') {
        const [metric = '', matchers = ''] = text.split(/[{}]/);
        const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)];
        found.push({ metric, labels: labels.map(([, name = '', value = '']) => [name, value]) });
      }
    },
  });
  return found;
}

/** A service that has just started. */
async function exposed(): Promise<string[]> {
  const metrics = new Metrics();
  metrics.routes([{ route: '/integrations/events', method: 'POST' }]);
  metrics.request({ route: '/integrations/embedded/initiate', method: 'POST', status: 200, ms: 1 });
  const pool = { used: 0, size: 10 };
  return (await metrics.text({ messages: [], processingMs: 0, areJobsHeld: false, pool })).split('\n');
}

describe('Prometheus queries', () => {
  it.each(expressions)('%s: %s', async (_, expr) => {
    const selectors = selectorsOf(expr);
    expect(selectors).not.toEqual([]);
    const lines = await exposed();
    for (const { metric, labels } of selectors.filter((selector) => selector.metric !== 'up')) {
      const series = lines.filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
      expect(series, metric).not.toEqual([]);
      for (const [name, value] of labels.filter(([label]) => label !== 'job'))
        for (const one of name === 'status' ? value.split('|') : [value])
          expect(series.join('\n')).toMatch(new RegExp(`[{,]${name}="${one}"`));
    }
  });

  it('the parser rejects invalid PromQL', () => {
    expect(() => selectorsOf('sum(rate(a[5m])')).toThrow('Not PromQL');
  });
});

it('counters start at zero for every label, so the first event alerts', async () => {
  const lines = await exposed();
  const zeros = (name: string): string[] =>
    lines.flatMap((line) => new RegExp(`^${name}\\{(.+)\\} 0$`).exec(line)?.[1] ?? []);
  expect(zeros('payments_total')).toEqual(
    ['succeeded', 'declined', 'pending', 'returned', 'unknown'].map((status) => `status="${status}"`),
  );
  expect(zeros('webhook_attempts_total')).toEqual(
    ['delivered', 'pending', 'failed', 'disabled'].map((status) => `status="${status}"`),
  );
  expect(zeros('payer_messages_total')).toEqual(
    ['email', 'sms'].flatMap((channel) =>
      ['sent', 'unsent', 'pending', 'failed'].map((status) => `channel="${channel}",status="${status}"`),
    ),
  );
  expect(zeros('jobs_failed_total')).toHaveLength(10);
  expect(zeros('http_requests_total')).toEqual(
    ['429', '500', '503'].map((status) => `route="/integrations/events",method="POST",status="${status}"`),
  );
});

it('every alert has a runbook, and every runbook an alert', () => {
  const headings = [...read('../../docs/runbooks.md').matchAll(/^## (EmbeddedSessions\w+)$/gm)];
  expect(headings.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toMatch(new RegExp(`/docs/runbooks\\.md#${alert.toLowerCase()}$`));
});

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

it.runIf(hasPromtool)('promtool accepts the rules, and makes every alert fire', () => {
  for (const args of [
    ['check', 'rules', pathOf('deploy/alerts.yml')],
    ['test', 'rules', pathOf('test/alerts.yml')],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  }
});
