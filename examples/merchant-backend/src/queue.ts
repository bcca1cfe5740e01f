/** Runs tasks with the same key one after another, even after a failure. */
export type Enqueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export function createKeyedQueue(): Enqueue {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const result = (last.get(key) ?? Promise.resolve()).then(task, task);
    const cleanUp = (): void => {
      if (last.get(key) === result) last.delete(key);
    };
    last.set(key, result);
    result.then(cleanUp, cleanUp);
    return result;
  };
}
