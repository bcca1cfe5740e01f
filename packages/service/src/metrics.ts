import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What is counted of every request: never who asked, nor for what. */
export interface Metrics {
  request(seen: { route: string; method: string; status: number; ms: number }): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    request: ({ route, method, status, ms }) => {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      seconds.observe({ route }, ms / 1000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
