/** Prefixes of session ids and API keys, by environment. */
export const ID_PREFIXES = { staging: 'stg_', production: 'prd_', development: 'dev_' } as const;

/** The environment of a service. It decides which keys, cards and addresses are accepted. */
export type ServiceEnvironment = keyof typeof ID_PREFIXES;

export type SessionEnvironment = Exclude<ServiceEnvironment, 'development'>;

/** The environment in a session id; undefined for anything else. */
export function environmentOfId(id: string): SessionEnvironment | undefined {
  if (id.startsWith(ID_PREFIXES.staging)) return 'staging';
  return id.startsWith(ID_PREFIXES.production) ? 'production' : undefined;
}
