/** The files in deploy/ start the service with options and a config that it accepts, and probe what it serves. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse as parseYaml, parseAllDocuments } from 'yaml';
import { parse } from '../cli/command.js';
import { serveCommand } from '../cli/serve.js';
import { READY_MS } from '../platform/http/ops.js';
import { parseConfig } from '../platform/config/config.js';
import { parseSessionKeys } from '../platform/keys/session-keys.js';

const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
const serveOptions = ([command, ...args]: string[]): Record<string, unknown> => {
  expect(command).toBe('serve');
  return parse(args, serveCommand).values;
};

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  args: string[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  stringData: Record<string, string>;
  spec: {
    selector: Record<string, unknown>;
    ports: { targetPort: string }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds: number;
        containers: [Container];
        volumes: { name: string; secret?: { secretName: string } }[];
      };
    };
  };
}

it('the Kubernetes manifests match each other and the service', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml')) as { toJS(): Manifest; errors: unknown[] }[];
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const [configured, job, deployment, budget, service, policy] = documents.map((document) => document.toJS());
  expect(documents.map((document) => document.toJS().kind)).toEqual([
    'Secret',
    'Job',
    'Deployment',
    'PodDisruptionBudget',
    'Service',
    'NetworkPolicy',
  ]);
  if (!configured || !job || !deployment || !budget || !service || !policy) return;

  parseConfig(JSON.parse(configured.stringData['service.config.json'] ?? ''), 'production');
  expect(job.spec.template.spec.containers[0].args).toEqual(['migrate']);

  const { metadata, spec } = deployment.spec.template;
  const [container] = spec.containers;
  const options = serveOptions(container.args);
  expect(options).toMatchObject({ env: 'production', 'ops-host': '0.0.0.0', host: '0.0.0.0' });
  const portOf = (name: string) => container.ports.find((port) => port.name === name)?.containerPort;
  expect([portOf('http'), portOf('ops')]).toEqual([
    Number(options['port'] ?? 4100),
    Number(options['ops-port']),
  ]);
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  expect(probes.map(({ httpGet }) => `${httpGet.port} ${httpGet.path}`)).toEqual([
    'ops /healthz',
    'ops /readyz',
    'ops /healthz',
  ]);
  // Draining takes 30 s, jobs 5 s.
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(40);
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
  const files = spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
  expect(files).toEqual([configured.metadata.name]);
  for (const selector of [deployment.spec.selector, budget.spec.selector])
    expect(selector).toEqual({ matchLabels: metadata.labels });
  expect(service.spec).toMatchObject({ selector: metadata.labels, ports: [{ targetPort: 'http' }] });
  expect(policy.spec).toMatchObject({
    podSelector: { matchLabels: metadata.labels },
    ingress: [{ ports: [{ port: 'http' }] }, { ports: [{ port: 'ops' }], from: [{}] }],
  });
});

it('the command of the Kubernetes manifests creates a session key that the service accepts', () => {
  const [, id = '', encoding = ''] =
    /EMBEDDED_SESSIONS_KEYS="(.*)\$\(openssl rand -(hex|base64) 32\)"/.exec(read('kubernetes.yaml')) ?? [];
  const keys = parseSessionKeys(
    `${id}${randomBytes(32).toString(encoding as BufferEncoding)}\n`,
    'EMBEDDED_SESSIONS_KEYS',
  );
  expect(keys).toHaveLength(1);
});

it('R-61 the proxy waits longer for a readiness probe than the probe for the database', () => {
  const [, seconds] = /^ *timeout check (\d+)s$/m.exec(read('haproxy.cfg')) ?? [];
  expect(Number(seconds) * 1_000).toBeGreaterThan(READY_MS);
});

it('R-91 the proxy has memory for all its connections, and limits them per address', () => {
  const proxy = read('haproxy.cfg');
  const numberIn = (pattern: RegExp) => Number(pattern.exec(proxy)?.[1]);
  const connections = numberIn(/^ {2}maxconn (\d+)$/m);
  expect(connections / numberIn(/sc0_conn_cur gt (\d+)/)).toBeGreaterThan(30);
  const { services } = parseYaml(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { mem_limit?: string }>;
  };
  const megabytes = Number(/^(\d+)m$/.exec(services['proxy']?.mem_limit ?? '')?.[1]);
  expect(megabytes).toBeGreaterThan((connections * numberIn(/tune\.bufsize (\d+)/) * 1.25) / 1e6);
});

it('compose and systemd start the service with valid options', () => {
  const { services } = parseYaml(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { command?: string[] }>;
  };
  expect(serveOptions(services['one']?.command ?? [])).toMatchObject({ env: 'staging', port: '4100' });
  expect(services['two']).toEqual(services['one']);

  const [, command = ''] = /^ExecStart=\S+ \S+ (.+)$/m.exec(read('embedded-sessions.service')) ?? [];
  expect(serveOptions(command.split(' '))).toMatchObject({ env: 'production', 'ops-port': '9090' });
});
