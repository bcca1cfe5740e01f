/** Runs work with the same name in sequence, even after failures. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work, work);
    const leave = (): void => {
      if (last.get(name) === turn) last.delete(name);
    };
    last.set(name, turn);
    turn.then(leave, leave);
    return turn;
  };
}
