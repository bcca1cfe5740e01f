import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ServiceError } from './domain/error.js';

const http = (message: string) =>
  z.string().refine((value) => /^https?:$/.test(safeUrl(value)?.protocol ?? ''), message);

const origin = z
  .string()
  .refine(
    (value) => safeUrl(value)?.origin === value && /^https?:/.test(value),
    'must be an origin: scheme, host and port, such as "https://pay.example.com"',
  );

const businessUnit = z.strictObject({
  slug: z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/, 'must be letters, digits, ".", "_" and "-", at most 100'),
  name: z.string().min(1).max(200),
  /** Origins of the pages that may open its sessions in a frame; none means top-level only. */
  allowedOrigins: z.array(origin).default([]),
  /** In the order in which the page offers them. */
  paymentMethods: z.array(z.enum(['Credit Card', 'ACH'])).default(['Credit Card', 'ACH']),
  allowAmountAdjustment: z.boolean().default(false),
  paymentFields: z
    .array(z.strictObject({ key: z.string().min(1).max(100), label: z.string().min(1).max(200), required: z.boolean().default(false) }))
    .default([]),
  agents: z.array(z.strictObject({ email: z.email(), pos: z.boolean().default(false) })).default([]),
  webhook: z
    .strictObject({
      url: http('must be an http: or https: URL'),
      secrets: z.array(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be "whsec_" and at least 24 bytes in base64')).min(1),
    })
    .optional(),
  logoUrl: http('must be an http: or https: URL').optional(),
  accentColor: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as "#0a5c36"')
    .optional(),
});

const apiKey = z
  .strictObject({
    key: z.string().min(16, 'must have at least 16 characters').max(200).regex(/^[\x21-\x7e]+$/, 'must be printable ASCII with no space').optional(),
    keyHash: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 lower-case hex digits')
      .optional(),
    businessUnits: z.array(z.string()).min(1),
  })
  .refine((entry) => (entry.key === undefined) !== (entry.keyHash === undefined), 'needs exactly one of "key" and "keyHash"');

const schema = z.strictObject({
  businessUnits: z.array(businessUnit).default([]),
  apiKeys: z.array(apiKey).default([]),
  /** Requests of one API key, over all endpoints, in one process. */
  rateLimit: z
    .strictObject({ perSecond: z.number().positive().default(200), burst: z.int().positive().default(1000) })
    .default({ perSecond: 200, burst: 1000 }),
});

/** The config file with its defaults filled in. */
export type ServiceConfig = z.infer<typeof schema>;
export type BusinessUnit = ServiceConfig['businessUnits'][number];
export type ServiceEnvironment = 'staging' | 'production' | 'development';

/**
 * Reads and checks a config file.
 * @throws ServiceError `invalid_config` with every problem and its path.
 */
export function readConfig(file: string, env: ServiceEnvironment): ServiceConfig {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ServiceError('invalid_config', `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return parseConfig(value, env, file);
}

/** As {@link readConfig}, of a value that is there already. */
export function parseConfig(value: unknown, env: ServiceEnvironment, name = 'config'): ServiceConfig {
  const result = schema.safeParse(value);
  const problems = result.success
    ? checkReferences(result.data, env)
    : result.error.issues.map((issue) => `${pathOf(issue.path)}: ${issue.message}`);
  if (problems.length > 0 || !result.success)
    throw new ServiceError('invalid_config', [`${name} is wrong:`, ...problems].join('\n  '));
  return result.data;
}

/** What spans entries, or depends on the environment. */
function checkReferences({ businessUnits, apiKeys }: ServiceConfig, env: ServiceEnvironment): string[] {
  const slugs = businessUnits.map(({ slug }) => slug);
  return [
    ...slugs.flatMap((slug, index) =>
      slugs.indexOf(slug) < index ? [`businessUnits[${index}].slug: "${slug}" is there twice`] : [],
    ),
    ...businessUnits.flatMap(({ paymentFields }, unit) => {
      const keys = paymentFields.map(({ key }) => key);
      return keys.flatMap((key, index) =>
        keys.indexOf(key) < index
          ? [`businessUnits[${unit}].paymentFields[${index}].key: "${key}" is there twice`]
          : [],
      );
    }),
    ...apiKeys.flatMap((entry, index) => [
      ...(env === 'production' && entry.key !== undefined
        ? [`apiKeys[${index}].key: a key in clear is not accepted in production, give its "keyHash"`]
        : []),
      ...entry.businessUnits.flatMap((slug, position) =>
        slugs.includes(slug)
          ? []
          : [`apiKeys[${index}].businessUnits[${position}]: there is no business unit "${slug}"`],
      ),
    ]),
  ];
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return text === '' ? '(top level)' : text;
}

function safeUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}
