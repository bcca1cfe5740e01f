/** A value in force, held by whoever reads it, that can be replaced under their hands. */
export interface Live<T extends object> {
  /** Reads of its properties see what is in force when they are made; take none of them along for later. */
  readonly value: T;
  replace(next: T): void;
}

/** @example const config = live(first); const app = createApp({ config: config.value }); config.replace(second); */
export function live<T extends object>(first: T): Live<T> {
  let current = first;
  return {
    value: new Proxy(first, { get: (_, name): unknown => Reflect.get(current, name) }),
    replace: (next) => void (current = next),
  };
}
