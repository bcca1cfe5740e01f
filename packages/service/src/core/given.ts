type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Drops undefined fields, so that they are neither stored nor sent.
 *
 * @example const source = { method, last4, ...given({ brand, expiry }) };
 */
export function given<T extends object>(fields: T): Given<T> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept as Given<T>;
}
