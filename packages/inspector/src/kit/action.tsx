/** Buttons that call the service, and the line that reports the result. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Sent } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { reloadAll } from '../use-data.js';

interface Said {
  text: string;
  isError: boolean;
  link?: { href: string; text: string };
}

const SHOWN_MS = 8_000;
let listener: (said: Said | null) => void = () => undefined;
export const say = (said: Said): void => listener(said);

/** The last result, visible and announced. */
export function Sayings(): preact.JSX.Element {
  const [said, setSaid] = useState<Said | null>(null);
  useEffect(() => {
    listener = setSaid;
  }, []);
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div class="sayings" role="status">
      {said && (
        <p class={said.isError ? 'saying bad' : 'saying'}>
          {said.text} {said.link && <a href={said.link.href}>{said.link.text}</a>}
        </p>
      )}
    </div>
  );
}

function isSent(answer: unknown): answer is Sent {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && 'status' in answer;
}

function saidOf(done: string, answer: unknown): Said {
  if (!isSent(answer)) return { text: done, isError: false };

  const { ok, status, message, requestId, sessionId } = answer;
  const link = requestId
    ? { href: addressOf('requests', requestId), text: 'See the request' }
    : sessionId
      ? { href: addressOf('sessions', sessionId), text: 'See the session' }
      : undefined;
  const text = ok || status === 0 ? (message ?? done) : `Refused with ${status}. ${message ?? ''}`;
  return { text, isError: !ok, ...(link ? { link } : {}) };
}

interface Act {
  /** Resolves with a `Sent`, or with anything else if it succeeded. */
  run: () => Promise<unknown>;
  /** Shown on success if the response has no message. */
  done: string;
}

/** Runs an action and reports its result. */
export async function act({ run, done }: Act): Promise<void> {
  try {
    const answer = await run();
    reloadAll();
    say(saidOf(done, answer));
  } catch (error) {
    say({ text: error instanceof Error ? error.message : String(error), isError: true });
  }
}

interface ActionProps extends Act {
  children: ComponentChildren;
  kind?: 'main' | 'danger' | 'icon';
  disabled?: boolean;
  /** Names a button that shows only an icon. */
  label?: string | undefined;
}

/** A button that keeps the focus while it is disabled. */
export function Action({
  run,
  done,
  children,
  kind,
  disabled = false,
  label,
}: ActionProps): preact.JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    if (isBusy || disabled) return;
    setBusy(true);
    await act({ run, done });
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      aria-disabled={disabled || undefined}
      aria-busy={isBusy}
      onClick={() => void press()}
    >
      {children}
    </button>
  );
}

/** @param text the text, or a function that fetches it */
export function Copy({
  text,
  label,
  children,
}: {
  text: string | (() => Promise<string>);
  /** Names a button whose child is an icon. */
  label?: string;
  children: ComponentChildren;
}): preact.JSX.Element {
  const copy = async (): Promise<void> =>
    navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
  return (
    <Action
      run={copy}
      done="Copied."
      label={label}
      {...(label === undefined ? {} : { kind: 'icon' as const })}
    >
      {children}
    </Action>
  );
}
