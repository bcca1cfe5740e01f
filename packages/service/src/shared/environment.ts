/** Prefixes of session ids and API keys, by environment. */
export const ID_PREFIXES = { staging: 'stg_', production: 'prd_', development: 'dev_' } as const;

/** A service's environment. Decides which keys, cards and addresses it accepts. */
export type ServiceEnvironment = keyof typeof ID_PREFIXES;

export type SessionEnvironment = Exclude<ServiceEnvironment, 'development'>;

export function environmentOfId(id: string): SessionEnvironment | undefined {
  return (['staging', 'production'] as const).find((each) => id.startsWith(ID_PREFIXES[each]));
}
