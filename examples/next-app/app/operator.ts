import { readFileSync } from 'node:fs';
import { createServiceClient, type ServiceClient } from '@embedded-sessions/server';

type Environment = 'staging' | 'production';

/** The operator's URLs for both environments. Going live doesn't change them. */
interface Operator extends Record<Environment, { baseUrl: string; loaderUrl: string }> {
  businessUnit: string;
}

export interface Settings {
  businessUnit: string;
  loaderUrl: string;
  loaderUrls: Record<Environment, string>;
  client: ServiceClient;
}

/** Reads the settings per request, not at build time. Going live changes three environment variables. */
export function readSettings(): Settings {
  const { SERVICE_API_KEY, SERVICE_LOADER_URL, SERVICE_BASE_URL, OPERATOR_FILE } = process.env;
  if (!SERVICE_API_KEY || !SERVICE_LOADER_URL || !SERVICE_BASE_URL)
    throw new Error('Set SERVICE_API_KEY, SERVICE_LOADER_URL and SERVICE_BASE_URL');
  const file = OPERATOR_FILE ?? '../merchant-backend/operator.json';
  const text = readFileSync(/* turbopackIgnore: true */ file, 'utf8');
  const { businessUnit, staging, production } = JSON.parse(text) as Operator;
  return {
    businessUnit,
    loaderUrl: SERVICE_LOADER_URL,
    loaderUrls: { staging: staging.loaderUrl, production: production.loaderUrl },
    client: createServiceClient({
      apiKey: SERVICE_API_KEY,
      baseUrl: SERVICE_BASE_URL,
      baseUrls: { staging: staging.baseUrl, production: production.baseUrl },
    }),
  };
}
