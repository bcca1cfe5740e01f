import { readFileSync } from 'node:fs';

export type Environment = 'staging' | 'production';

/** `operator.json`: the operator's URLs for both environments. Going live doesn't change it. */
export interface Operator {
  businessUnit: string;
  staging: { baseUrl: string; loaderUrl: string };
  production: { baseUrl: string; loaderUrl: string };
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
  /** A file that persists the ledger. Without it, the ledger is only in memory. */
  stateFile: string | undefined;
}

/** Reads the process environment. Throws an `Error` that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const required = (name: string): string => {
    if (!env[name]) problems.push(`${name} is not set`);
    return env[name] ?? '';
  };
  const apiKey = required('SERVICE_API_KEY');
  const loaderUrl = required('SERVICE_LOADER_URL');
  const baseUrl = required('SERVICE_BASE_URL');
  const file = env['OPERATOR_FILE'] ?? new URL('../operator.json', import.meta.url);
  const operator = JSON.parse(readFileSync(file, 'utf8')) as Operator;

  const found = (['staging', 'production'] as const).filter(
    (name) => operator[name].loaderUrl === loaderUrl || operator[name].baseUrl === baseUrl,
  );
  const environment = found[0];
  if (found.length > 1)
    problems.push('SERVICE_LOADER_URL and SERVICE_BASE_URL belong to different environments (R-7)');
  else if (environment) {
    if (operator[environment].loaderUrl !== loaderUrl)
      problems.push(`SERVICE_LOADER_URL is not the ${environment} URL in operator.json`);
    if (operator[environment].baseUrl !== baseUrl)
      problems.push(`SERVICE_BASE_URL is not the ${environment} URL in operator.json`);
  } else if (loaderUrl && baseUrl)
    problems.push('SERVICE_LOADER_URL and SERVICE_BASE_URL are not in operator.json');

  if (problems.length > 0 || !environment)
    throw new Error(`The merchant backend cannot start:\n- ${problems.join('\n- ')}`);
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
    stateFile: env['STATE_FILE'],
  };
}
