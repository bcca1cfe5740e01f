type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The fields without those that are undefined: what is not there is neither kept nor told.
 *
 * @example const source = { method, last4, ...given({ brand, expiry }) };
 */
export function given<T extends object>(fields: T): Given<T> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept as Given<T>;
}
