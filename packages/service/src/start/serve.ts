/** The service on its ports, from the first line on stdout to the last answer after SIGTERM. */
import { createServer, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { controlApi } from '../control/routes.js';
import { opsApp } from '../platform/http/ops.js';
import { createApp, type App } from '../app.js';
import { createInspection } from '../control/inspector/index.js';
import type { Inspection } from '../control/inspector/index.js';
import { inspectorApp } from '../control/inspector/routes.js';
import { createControl } from '../control/control.js';
import type { MovableClock } from '../core/clock.js';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import { faultList } from '../control/fault-list.js';
import { createJobs, type Jobs } from '../jobs/jobs.js';
import { isInsecure, type ServiceConfig } from '../platform/config/config.js';
import { describeError } from '../platform/log/log.js';
import type { Metrics } from '../platform/metrics.js';
import { connectionsOf, type Connections } from '../platform/http/connections.js';
import { answerMalformed, answerUnmade, hasDotSegments, lacksHost } from '../platform/http/malformed.js';
import { start, type StartOptions } from './start.js';

export interface ServeOptions extends StartOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Default: the address that it listens on. */
  readonly publicUrl?: string;
  readonly controlPort?: number;
  /** False: nothing is charged, asked for or sent but what a request asks; for a restored copy. */
  readonly jobs?: boolean;
  readonly opsPort?: number;
  /** Default: loopback, for what is there is nobody's but the operator's. */
  readonly opsHost?: string;
  /** Of the inspector; refused in production. */
  readonly inspectorPort?: number;
  /** In which a request has to arrive whole, ms; what takes a quarter longer is ended. Default: 20 s. */
  readonly receiveWithinMs?: number;
  /** In which what is in flight has to end when it stops, on all ports together, ms. Default: 30 s. */
  readonly drainWithinMs?: number;
  /** How long a kept-alive connection may still bring a request when it stops, ms, whose answer tells it to close. Default: 0. */
  readonly lingerMs?: number;
  /** The folder of the built pages; default: where the build puts them. */
  readonly pages?: string;
}

export interface Running {
  readonly url: string;
  readonly control?: string;
  readonly ops?: string;
  /** With the token that opens it, in its fragment. */
  readonly inspector?: string;
  /** see `Started` in `start.ts`. */
  reload(config: ServiceConfig): Promise<void>;
  /** Takes no new request, lets those in flight finish, closes the database. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const RECEIVE_MS = 20_000;
/** Longer than a load balancer keeps an idle connection, so that it is the one to end it. */
const KEEP_ALIVE_MS = 65_000;
const DRAIN_MS = 30_000;
const GOODBYE_MS = 1_000;

/** Starts a service that listens. @throws ServiceError with what to do. */
export async function serve(options: ServeOptions): Promise<Running> {
  if (options.env === 'production' && options.controlPort !== undefined)
    throw new ServiceError('invalid_arguments', 'production has no control API: leave --control-port out.');
  if (options.env === 'production' && options.inspectorPort !== undefined)
    throw new ServiceError('invalid_arguments', 'production has no inspector: leave --inspector-port out.');
  if (options.publicUrl !== undefined) checkPublicUrl(options.publicUrl);
  const { host, publicUrl = `http://${inUrl(host)}` } = options;
  if (options.env === 'production' && isInsecure(publicUrl))
    throw new ServiceError(
      'invalid_arguments',
      `production cannot give its payers ${publicUrl}: --public-url must be the https: URL that they reach it by.`,
    );
  let inspection: Inspection | undefined;
  const inspect = (clock: MovableClock, config: () => ServiceConfig): Inspection =>
    (inspection = createInspection(clock, config));
  const started = await start({
    ...options,
    ...(options.inspectorPort === undefined ? {} : { inspect }),
    ...(options.opsPort === undefined ? {} : { metrics: await metrics() }),
  });
  const { parts } = started;
  const ports: Listening[] = [];
  /** The inspector's: who looks on there is told of events for as long as the page is open. */
  let endless: Listening | undefined;
  let operator: Listening | undefined;
  let draining = false;
  let jobs: Jobs | undefined;
  const close = async (): Promise<void> => {
    draining = true;
    inspection?.journal.end();
    // One time for all: Node ends no slow request of a server that is closed.
    const until = performance.now() + (options.drainWithinMs ?? DRAIN_MS);
    const told = ports.filter((port) => port !== operator);
    await Promise.all(
      told.map((port) => port.connections.drain(port === endless ? 0 : until, options.lingerMs)),
    );
    // Until then an orchestrator reads there that the service is on its way out.
    await operator?.connections.drain(until);
    await jobs?.stop();
    // A database that hangs never says goodbye.
    await Promise.race([parts.store.close(), delay(GOODBYE_MS, undefined, { ref: false })]);
  };
  const open = async (host: string, port: number): Promise<Listening> => {
    const listening = await listen(host, port, options.receiveWithinMs);
    ports.push(listening);
    // Such as for want of open files: nobody who listens for it, and the process ends.
    listening.server.on('error', (error) => {
      parts.log.error('A connection could not be taken, the next one may be', {
        error: describeError(error),
      });
    });
    return listening;
  };
  try {
    const main = await open(options.host, options.port);
    const control =
      options.controlPort === undefined ? undefined : await open('127.0.0.1', options.controlPort);
    const inspector =
      options.inspectorPort === undefined ? undefined : await open('127.0.0.1', options.inspectorPort);
    endless = inspector;
    const list = control || inspector ? faultList() : undefined;
    const faults = list && inspection ? inspection.faults(list) : list;
    const ops =
      options.opsPort === undefined ? undefined : await open(options.opsHost ?? '127.0.0.1', options.opsPort);
    operator = ops;
    // The same after a restart on the same database: a page and a `listen` go on with it.
    const token = parts.secrets.derive(parts.secrets.newest, 'inspector');
    const deps: Deps = {
      ...parts,
      ...(inspection ? { watch: inspection.request, delivered: inspection.delivered } : {}),
      publicUrl: (options.publicUrl ?? main.url).replace(/\/+$/, ''),
      draining: () => draining,
      ...(faults ? { faults } : {}),
    };
    jobs = createJobs(deps);
    const app = createApp(deps, options.pages);
    main.answer(app);
    const operating = opsApp(deps);
    ops?.answer({ fetch: async (request) => operating.fetch(request) });
    if (faults) {
      const made = createControl(deps, jobs, faults, (request) => app.fetch(request));
      const hands = inspection?.control(made) ?? made;
      const api = controlApi(deps, hands);
      control?.answer({ fetch: async (request) => api.fetch(request) });
      if (inspector && inspection) {
        const { journal, apiKey } = inspection;
        const page = inspectorApp({
          deps,
          control: hands,
          faults,
          journal,
          fetch: (request) => app.fetch(request),
          apiKey,
          token,
        });
        inspector.answer({ fetch: async (request) => page.fetch(request) });
      }
    }
    if (options.jobs !== false) jobs.start();
    return {
      url: main.url,
      ...(control ? { control: control.url } : {}),
      ...(ops ? { ops: ops.url } : {}),
      ...(inspector ? { inspector: `${inspector.url}/#${token}` } : {}),
      reload: (config) => started.reload(config),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A name that leads to an IPv6 address is a name all the same. */
const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** Session URLs are made of it, so it has no place for a query, and a secret in it would be everybody's. */
function checkPublicUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const { protocol, username, password, search, hash } = url ?? {};
  if (/^https?:$/.test(protocol ?? '') && [username, password, search, hash].every((part) => part === ''))
    return;
  throw new ServiceError(
    'invalid_arguments',
    '--public-url must be an http: or https: URL without user name, password, query and fragment, such as https://pay.example.com.',
  );
}

/** Loaded only where somebody can read them. */
async function metrics(): Promise<Metrics> {
  const { createMetrics } = await import('../platform/metrics.js');
  return createMetrics();
}

interface Listening {
  readonly server: Server;
  readonly connections: Connections;
  readonly url: string;
  answer(app: App): void;
}

/** Listens first and answers from the same tick on, because session URLs may need the port. */
async function listen(host: string, port: number, receiveMs = RECEIVE_MS): Promise<Listening> {
  const server = createServer({
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, receiveMs),
    requestTimeout: receiveMs,
    // Node looks every 30 s otherwise, whatever the two say.
    connectionsCheckingInterval: receiveMs / 4,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own refusal says nothing.
    requireHostHeader: false,
  });
  const connections = connectionsOf(server, receiveMs);
  answerMalformed(server, connections.asked);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'something else listens there' : cause.message;
      reject(new ServiceError('invalid_arguments', `Cannot listen on ${host}:${port}: ${why}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = inUrl(host);
  return {
    server,
    connections,
    url: `http://${name}:${address.port}`,
    answer: (app) => {
      // It replaces the global Request and Response with ones that need no stream for a body of one string.
      const listener = getRequestListener((request, env) => app.fetch(request, env), {
        // For a probe of HTTP/1.0, which names no host.
        hostname: name,
        errorHandler: answerUnmade,
      });
      server.on('request', (incoming, outgoing) => {
        connections.inTurn(incoming, outgoing, () => {
          if (lacksHost(incoming, outgoing) || hasDotSegments(incoming, outgoing)) return;
          void listener(incoming, outgoing);
        });
      });
    },
  };
}
