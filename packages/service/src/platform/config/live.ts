/** A value that can be replaced while others hold references to it. */
export interface Live<T extends object> {
  /** Properties are read from the current value, so don't cache them. */
  readonly value: T;
  replace(next: T): void;
}

export function live<T extends object>(first: T): Live<T> {
  let current = first;
  return {
    value: new Proxy(first, { get: (_, name): unknown => Reflect.get(current, name) }),
    replace: (next) => void (current = next),
  };
}
