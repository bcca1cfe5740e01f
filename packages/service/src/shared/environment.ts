/** What ids of sessions and API keys begin with, by environment. */
export const ID_PREFIXES = { staging: 'stg_', production: 'prd_', development: 'dev_' } as const;

/** Of what a service is: decides which keys, cards and addresses it takes. */
export type ServiceEnvironment = keyof typeof ID_PREFIXES;

/** The environments that have sessions. */
export type SessionEnvironment = Exclude<ServiceEnvironment, 'development'>;

/** The environment that a session's id names; undefined when it is no id of a session. */
export function environmentOfId(id: string): SessionEnvironment | undefined {
  if (id.startsWith(ID_PREFIXES.staging)) return 'staging';
  return id.startsWith(ID_PREFIXES.production) ? 'production' : undefined;
}
