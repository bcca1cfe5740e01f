import type { DeliveryAttempt } from '../webhooks/rules.js';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { controlApi } from '../control/routes.js';
import { opsApp } from '../platform/http/ops.js';
import { createApp } from '../app.js';
import { watchRequests } from '../control/inspector/requests.js';
import { inspectorApp } from '../control/inspector/routes.js';
import { createControl } from '../control/control.js';
import type { Deps } from '../deps.js';
import { defined } from '../core/defined.js';
import { reasonOf, quotable } from '../core/quotable.js';
import { ServiceError } from '../core/error.js';
import { Faults } from '../platform/faults.js';
import { RestoreMarker } from '../jobs/restore-marker.js';
import { Jobs } from '../jobs/jobs.js';
import { isInsecure, type ServiceConfig } from '../platform/config/config.js';
import { describeError } from '../platform/log/log.js';
import { Connections, BoundedRequest } from '../platform/http/connections.js';
import { malformedResponse, rejectUrl } from '../platform/http/envelope.js';
import { start, withPublicUrl, type Started, type StartOptions } from './start.js';

export interface ServeOptions extends StartOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Base of session URLs. Default: the address that the service listens on. */
  readonly publicUrl?: string;
  readonly controlPort?: number;
  /** `false` runs no jobs, for a restored copy that only serves requests. */
  readonly jobs?: boolean;
  /**
   * File that records how far the database has progressed (decision 0072). Without it, a restored backup goes
   * unnoticed.
   */
  readonly marker?: string;
  readonly opsPort?: number;
  /** Default: loopback, because health and metrics are for the operator alone. */
  readonly opsHost?: string;
  /** Refused in production. */
  readonly inspectorPort?: number;
  /** Timeout of receiving a request, ms. Default: 20 s. */
  readonly receiveWithinMs?: number;
  /** Time limit of shutdown, ms. Default: 30 s. */
  readonly drainWithinMs?: number;
  /**
   * Time for a kept-alive connection to send one more request during shutdown, ms. The response closes the connection.
   * Default: 0.
   */
  readonly lingerMs?: number;
  /** Folder of the built pages. Default: that of the build. */
  readonly pages?: string;
}

export interface Running {
  readonly url: string;
  readonly control?: string;
  readonly ops?: string;
  /** The address with its token in the fragment. */
  readonly inspector?: string;
  /** Why `/readyz` returns 503 from the start: production lacks a processor. */
  readonly unready?: string;
  /** see `Started` in `start.ts`. */
  reload(config: ServiceConfig): Promise<void>;
  /** Refuses new requests, waits for requests in flight, and closes the database. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const RECEIVE_MS = 20_000;
/** Longer than load balancers keep idle connections, so that the balancer closes them first. */
const KEEP_ALIVE_MS = 65_000;
const DRAIN_MS = 30_000;
/** Timeout of closing the database, which may hang. */
const CLOSE_DATABASE_MS = 1_000;

/** @throws ServiceError that says what to do */
export async function serve(options: ServeOptions): Promise<Running> {
  checkOptions(options);

  const started = await start({
    ...options,
    inspect: options.inspectorPort !== undefined,
    // Loaded only if a port serves them.
    ...(options.opsPort !== undefined && {
      metrics: new (await import('../platform/metrics.js')).Metrics(),
    }),
  });

  const service = new ListeningService(options, started);
  try {
    return await service.open();
  } catch (error) {
    await service.close();
    throw error;
  }
}

function checkOptions({ env, host, publicUrl, controlPort, inspectorPort }: ServeOptions): void {
  if (env === 'production' && controlPort !== undefined)
    throw new ServiceError('invalid_arguments', 'production has no control API: omit --control-port.');
  if (env === 'production' && inspectorPort !== undefined)
    throw new ServiceError('invalid_arguments', 'production has no inspector: omit --inspector-port.');
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);

  if (env === 'production' && isInsecure(publicUrl ?? `http://${inUrl(host)}`))
    throw new ServiceError(
      'invalid_arguments',
      'production sends payers only to https: URLs: --public-url must be the https: URL that they use.',
    );
}

/** The labels of requests that were refused, unread, because all connections were busy. */
const REFUSED = { route: 'no connection', method: 'other' };

class ListeningService {
  readonly #options: ServeOptions;
  readonly #started: Started;

  readonly #ports: Listening[] = [];
  #inspectorPort: Listening | undefined;
  #opsPort: Listening | undefined;
  #jobs: Jobs | undefined;
  #draining = false;

  constructor(options: ServeOptions, started: Started) {
    this.#options = options;
    this.#started = started;
  }

  async open(): Promise<Running> {
    const { host, port, controlPort, inspectorPort, opsPort, opsHost = '127.0.0.1', marker } = this.#options;
    const main = await this.#listen(host, port);
    const control = controlPort === undefined ? undefined : await this.#listen('127.0.0.1', controlPort);
    const inspector =
      inspectorPort === undefined ? undefined : await this.#listen('127.0.0.1', inspectorPort);
    this.#inspectorPort = inspector;
    const ops = opsPort === undefined ? undefined : await this.#listen(opsHost, opsPort);
    this.#opsPort = ops;

    const { parts, inspection } = this.#started;
    const faults =
      control || inspector ? new Faults((...hit) => inspection?.journal.addFault(...hit)) : undefined;
    const deps: Deps = {
      ...withPublicUrl(parts, (this.#options.publicUrl ?? main.url).replace(/\/+$/, '')),
      draining: () => this.#draining,
      ...defined({
        watch: inspection && watchRequests(inspection.journal, parts.clock),
        delivered: inspection && ((attempt: DeliveryAttempt) => inspection.journal.recordDelivery(attempt)),
        faults,
        marker: marker === undefined ? undefined : new RestoreMarker(marker, parts.log),
      }),
    };
    // Derived, so that inspector pages and `listen` keep working after a restart on the same database.
    const token = parts.secrets.derive(parts.secrets.newest, 'inspector');

    const jobs = new Jobs(deps);
    this.#jobs = jobs;
    const app = createApp(deps, this.#options.pages);
    main.answer(app);
    const { metrics } = deps;
    metrics?.routes([REFUSED]);
    main.connections.onRefused = () => metrics?.request({ ...REFUSED, status: 503, ms: 0 });
    ops?.answer(opsApp(deps));
    if (faults) {
      const fetch = (request: Request): Promise<Response> => app.fetch(request);
      const controls = createControl(deps, jobs, faults, fetch, inspection?.journal);
      control?.answer(controlApi(deps, controls, faults));
      if (inspection)
        inspector?.answer(inspectorApp({ deps, control: controls, faults, fetch, token, ...inspection }));
    }
    if (this.#options.jobs !== false) jobs.start();

    return {
      url: main.url,
      ...defined({
        control: control?.url,
        ops: ops?.url,
        inspector: inspector && `${inspector.url}/#${token}`,
        unready: parts.unready,
      }),
      reload: (config) => this.#started.reload(config),
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    const { drainWithinMs = DRAIN_MS, lingerMs } = this.#options;
    this.#draining = true;

    // One deadline for all ports, because Node no longer times out slow requests of a closed server.
    const until = performance.now() + drainWithinMs;
    const ports = this.#ports.filter((port) => port !== this.#opsPort);
    await Promise.all(
      // The inspector's event streams never end on their own.
      ports.map((port) => port.connections.drain(port === this.#inspectorPort ? 0 : until, lingerMs)),
    );
    // Closed last, so that an orchestrator can see that the service is draining.
    await this.#opsPort?.connections.drain(until);
    await this.#jobs?.stop();
    await Promise.race([
      this.#started.parts.store.close(),
      delay(CLOSE_DATABASE_MS, undefined, { ref: false }),
    ]);
  }

  async #listen(host: string, port: number): Promise<Listening> {
    const { config } = this.#started.parts;
    const listening = await listen(host, port, () => config.maxConnections, this.#options.receiveWithinMs);
    this.#ports.push(listening);
    // Without a listener, errors such as running out of file descriptors would end the process.
    listening.server.on('error', (error) => {
      this.#started.parts.log.error('Could not accept a connection', { error: describeError(error) });
    });
    return listening;
  }
}

const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** Session URLs start with it, so it must not have a query or contain a secret. */
function checkPublicUrl(text: string): void {
  const { protocol, username, password, search, hash } = URL.parse(text) ?? {};
  if (/^https?:$/.test(protocol ?? '') && [username, password, search, hash].every((part) => part === ''))
    return;

  throw new ServiceError(
    'invalid_arguments',
    '--public-url must be an http: or https: URL without user name, password, query and fragment, such as https://pay.example.com.',
  );
}

interface Listening {
  readonly server: Server;
  readonly connections: Connections;
  readonly url: string;
  answer(app: { fetch(request: Request, env: unknown): Response | Promise<Response> }): void;
}

/** Listens before the app exists, because session URLs may need the port. */
async function listen(
  host: string,
  port: number,
  maxConnections: () => number,
  receiveMs = RECEIVE_MS,
): Promise<Listening> {
  const server = createServer({
    IncomingMessage: BoundedRequest,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, receiveMs),
    requestTimeout: receiveMs,
    // By default, Node checks both timeouts only every 30 s.
    connectionsCheckingInterval: receiveMs / 4,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const connections = new Connections(server, receiveMs, maxConnections);
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'the port is already in use' : reasonOf(cause, host);
    const message = `Cannot listen on ${quotable(host, '--host')}:${port}: ${why}.`;
    throw new ServiceError('invalid_arguments', message, { cause });
  });
  const address = server.address() as AddressInfo;
  const name = inUrl(host);
  return {
    server,
    connections,
    url: `http://${name}:${address.port}`,
    answer: (app) => {
      // Replaces the global Request and Response with lighter ones that need no stream for a string body.
      const listener = getRequestListener((request, env) => app.fetch(request, env), {
        // HTTP/1.0 probes send no Host header.
        hostname: name,
        errorHandler: malformedResponse,
      });
      server.on('request', (incoming, outgoing) => {
        connections.inTurn(incoming, () => {
          if (!rejectUrl(incoming, outgoing)) void listener(incoming, outgoing);
        });
      });
    },
  };
}
