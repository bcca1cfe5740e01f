/** A value that can be replaced while others hold a reference to it. */
export interface Live<T extends object> {
  /** Reading a property returns the current value; don't keep a property for later. */
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
