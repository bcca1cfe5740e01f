type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops undefined fields so that they are neither stored nor sent. */
export function defined<const T extends object>(fields: T): Defined<T> {
  const result: Record<string, unknown> = {};
  // `Object.entries` would make an array per field.
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name];
  return result as Defined<T>;
}
