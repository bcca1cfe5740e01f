/** A service in this process. Checks all API responses against the OpenAPI document. */
import { openapi } from '@embedded-sessions/server-types/schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {
  startTestService,
  type OpenTestService,
  type TestServiceOptions,
} from '../src/start/test-service.js';
import { API_KEY, SLUG } from './merchant.js';

export const CONFIG = {
  businessUnits: [
    {
      slug: SLUG,
      name: 'Harborlight Water',
      allowedOrigins: ['http://localhost:5173'],
      allowAmountAdjustment: true,
      paymentFields: [{ key: 'InvoiceNumber', label: 'Invoice number', required: true }],
      agents: [
        { email: 'Agent@Harborlight.example', pos: true },
        { email: 'trainee@harborlight.example', pos: false },
      ],
    },
    { slug: 'harborlight-gas', name: 'Harborlight Gas', paymentMethods: ['Credit Card'] },
    { slug: 'foreign', name: 'Of another key' },
  ],
  apiKeys: [{ key: API_KEY, businessUnits: [SLUG, 'harborlight-gas'] }],
  rateLimit: { perSecond: 100_000, burst: 1_000_000 },
};

export interface ErrorItem {
  code: string;
  message: string;
  field?: string;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  hasErrors: boolean;
  errors: ErrorItem[];
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the answer's type
  data: any;
}

export interface Api {
  readonly service: OpenTestService;
  /** A string `body` is sent unchanged. */
  post(path: string, body: unknown, headers?: Record<string, string | null>): Promise<ApiResponse>;
  close(): Promise<void>;
}

export async function startApi(options: TestServiceOptions = {}): Promise<Api> {
  const service = await startTestService({ config: CONFIG, ...options });
  return {
    service,
    post: async (path, body, headers = {}) => {
      const all = new Headers({ 'content-type': 'application/json', 'x-service-api-key': API_KEY });
      for (const [name, value] of Object.entries(headers)) {
        if (value === null) all.delete(name);
        else all.set(name, value);
      }
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return checkResponse(path, await service.fetch(path, { method: 'POST', headers: all, body: text }));
    },
    close: () => service.close(),
  };
}

const document = openapi();
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'api');

/** Checks a response's status and body against the document, and returns it. */
export async function checkResponse(path: string, response: Response): Promise<ApiResponse> {
  const body = (await response.json()) as ApiResponse;
  const operation = document.paths[path]?.['post'] as
    | { responses: Record<string, { $ref?: string }> }
    | undefined;
  const status = String(response.status);
  const described =
    operation === undefined ? { $ref: '#/components/responses/NotFound' } : operation.responses[status];
  if (described === undefined)
    throw new Error(`${path} answered ${status}, which the document does not know`);
  const pointer = described.$ref?.slice(1) ?? `/paths/${path.replaceAll('/', '~1')}/post/responses/${status}`;
  const schema = `api#${pointer}/content/application~1json/schema`;
  const validate = ajv.getSchema(schema) ?? ajv.compile({ $ref: schema });
  const wordless = body.errors.find(({ message }) => !/\w \w/.test(message));
  if (wordless) throw new Error(`${path} ${status} says nothing with ${JSON.stringify(wordless)}`);
  if (!validate(body))
    throw new Error(`${path} ${status} ${JSON.stringify(body)}: ${ajv.errorsText(validate.errors)}`);
  return { ...body, status: response.status, headers: response.headers };
}
