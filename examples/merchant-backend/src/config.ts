import { readFileSync } from 'node:fs';

export type Environment = 'staging' | 'production';

/** `operator.json`: the operator's URLs for both environments. Going live doesn't change it. */
export interface Operator extends Record<Environment, { baseUrl: string; loaderUrl: string }> {
  businessUnit: string;
}

export interface Config {
  /** Going live changes these three: `SERVICE_API_KEY`, `SERVICE_LOADER_URL`, `SERVICE_BASE_URL`. */
  apiKey: string;
  loaderUrl: string;
  baseUrl: string;
  /** The environment that `operator.json` lists both URLs under. */
  environment: Environment;
  operator: Operator;
  /** The secrets of both environments, so going live doesn't change them. */
  webhookSecrets: Record<Environment, string | undefined>;
  port: number;
}

/** Reads the process environment. Throws if the settings are incomplete or mix environments. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { SERVICE_API_KEY: apiKey, SERVICE_LOADER_URL: loaderUrl, SERVICE_BASE_URL: baseUrl } = env;
  if (!apiKey || !loaderUrl || !baseUrl)
    throw new Error('Set SERVICE_API_KEY, SERVICE_LOADER_URL and SERVICE_BASE_URL');
  const file = env['OPERATOR_FILE'] ?? new URL('../operator.json', import.meta.url);
  const operator = JSON.parse(readFileSync(file, 'utf8')) as Operator;
  const environment = (['staging', 'production'] as const).find(
    (name) => operator[name].loaderUrl === loaderUrl && operator[name].baseUrl === baseUrl,
  );
  if (!environment)
    throw new Error(
      'SERVICE_LOADER_URL and SERVICE_BASE_URL must belong to the same environment in operator.json',
    );
  return {
    apiKey,
    loaderUrl,
    baseUrl,
    environment,
    operator,
    webhookSecrets: {
      staging: env['WEBHOOK_SECRET_STAGING'],
      production: env['WEBHOOK_SECRET_PRODUCTION'],
    },
    port: Number(env['PORT'] ?? 5174),
  };
}
