import { useEffect, useRef, useState } from 'preact/hooks';

const WARN_MS = 5 * 60_000;

/**
 * Minutes until the session ends, once they are few, else null; `onEnd` at its end. Counted from the service's own
 * `now`, so that a payer's wrong clock does not matter.
 */
export function useTimeLeft(
  session: { now: string; expiresAt: string } | undefined,
  onEnd: () => void,
): number | null {
  const [left, setLeft] = useState<number | null>(null);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const { now, expiresAt } = session ?? {};

  useEffect(() => {
    if (now === undefined || expiresAt === undefined) return undefined;
    const end = performance.now() + Date.parse(expiresAt) - Date.parse(now);
    let timer: ReturnType<typeof setTimeout>;
    const look = (): void => {
      const remaining = end - performance.now();
      if (remaining <= 0) {
        ended.current();
        return;
      }
      setLeft(remaining <= WARN_MS ? Math.ceil(remaining / 60_000) : null);
      const next = remaining > WARN_MS ? remaining - WARN_MS : remaining % 60_000 || 60_000;
      timer = setTimeout(look, next + 50);
    };
    look();
    return () => clearTimeout(timer);
  }, [now, expiresAt]);

  return left;
}
