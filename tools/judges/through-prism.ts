/**
 * Runs Prism as a validating proxy between the contract suite and the services that it starts in-process. Responses must
 * match the document, and requests that don't are refused.
 */
import { createRequire } from 'node:module';
import { afterAll, expect, vi } from 'vitest';
import type * as real from '../../packages/service/src/start/test-service.js';

type Fetch = real.OpenTestService['fetch'];
type Module = typeof real;

interface Violation {
  location?: string[];
  code: string | number;
  message: string;
}
interface Input {
  method: string;
  url: { path: string; query: Record<string, string> };
  headers: Record<string, string>;
  body: unknown;
}
interface Output {
  statusCode: number;
  headers: Record<string, string>;
  body: unknown;
}
/** fp-ts tasks are called twice: first to start the work, then for its result. */
type Task<T> = () => Promise<{ _tag: 'Right'; right: T } | { _tag: 'Left'; left: Error }>;
interface PrismHttp {
  getHttpOperationsFromSpec(file: string): Promise<unknown[]>;
  createInstance(
    config: unknown,
    components: { logger: unknown; forward: (request: unknown, upstream: string) => () => Task<Output> },
  ): {
    request(
      input: Input,
      operations: unknown[],
    ): Task<{ validations: Record<'input' | 'output', Violation[]> }>;
  };
}

const require = createRequire(import.meta.url);
const prism = require('@stoplight/prism-http') as PrismHttp;
const document = new URL('../../packages/server-types/dist/openapi.json', import.meta.url).pathname;
const { paths } = require(document) as { paths: Record<string, unknown> };
const operations = await prism.getHttpOperationsFromSpec(document);
const silent = { child: () => silent, info: () => {}, warn: () => {}, error: () => {}, success: () => {} };
const config = {
  isProxy: true,
  upstream: new URL('http://service.test'),
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  errors: false,
  mock: {},
};

/** Prism's findings about a request and its response. `answer` is the service. */
async function judge(path: string, headers: Headers, text: string, answer: () => Promise<Output>) {
  let failure: unknown;
  const forward = () => () => () =>
    answer().then(
      (right) => ({ _tag: 'Right', right }) as const,
      (error: Error) => ({ _tag: 'Left', left: (failure = error) }) as const,
    );
  const judged = await prism.createInstance(config, { logger: silent, forward }).request(
    {
      method: 'post',
      url: { path, query: {} },
      headers: Object.fromEntries(headers),
      body: parsed(text),
    },
    operations,
  )();
  if (failure !== undefined) throw failure;
  if ('left' in judged) throw judged.left;
  return judged.right.validations;
}

function through(fetch: Fetch): Fetch {
  return async (address, init) => {
    const request = new Request(
      address instanceof Request ? address : new URL(address, 'http://service.test'),
      init,
    );
    const { pathname } = new URL(request.url);
    if (request.method !== 'POST' || !(pathname in paths)) return fetch(address, init);
    const text = await request.clone().text();
    let response: Response | undefined;
    let body: { hasErrors?: boolean } = {};
    const { input, output } = await judge(pathname, request.headers, text, async () => {
      response = await fetch(request);
      const { status: statusCode, headers } = response;
      body = (await response.clone().json()) as typeof body;
      return { statusCode, headers: Object.fromEntries(headers), body };
    });
    expect({ pathname, text, output }).toEqual({ pathname, text, output: [] });
    if (body.hasErrors === false) expect({ pathname, text, input }).toEqual({ pathname, text, input: [] });
    if (response === undefined) throw new Error('Prism did not ask the service.');
    return response;
  };
}

/** In the form that Prism's server passes on. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

vi.mock('../../packages/service/src/start/test-service.js', async (original) => {
  const module = await original<Module>();
  return {
    ...module,
    startTestService: async (options: real.TestServiceOptions) => {
      const service = await module.startTestService(options);
      return { ...service, fetch: through(service.fetch) };
    },
  };
});

afterAll(async () => {
  // Prism would report it.
  const [path = ''] = Object.keys(paths);
  const type = { 'content-type': 'application/json' };
  const wrong = await judge(path, new Headers(type), '{}', async () => ({
    statusCode: 200,
    headers: type,
    body: { hasErrors: 'no' },
  }));
  expect(wrong.input.map(({ message }) => message).join()).toMatch(/required/);
  expect(wrong.output.map(({ message }) => message).join()).toMatch(/required|boolean/);
});
