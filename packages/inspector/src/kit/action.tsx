import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Sent } from '@shared/inspector.js';
import { update } from '../live.js';

interface Toast {
  text: string;
  isError: boolean;
}

const SHOWN_MS = 8_000;
let listener: (toast: Toast | null) => void = () => undefined;
export const showToast = (toast: Toast): void => listener(toast);

export function Toasts(): preact.JSX.Element {
  const [toast, setToast] = useState<Toast | null>(null);
  useEffect(() => {
    listener = setToast;
  }, []);
  useEffect(() => {
    if (!toast) return undefined;
    const timer = setTimeout(() => setToast(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class="toasts" role="status">
      {toast && <p class={toast.isError ? 'toast bad' : 'toast'}>{toast.text}</p>}
    </div>
  );
}

function toastOf(done: string, result: unknown): Toast {
  const { ok = true, status = 0, message } = Object(result) as Partial<Sent>;
  const text = ok || status === 0 ? (message ?? done) : `Refused with ${status}. ${message ?? ''}`;
  return { text, isError: !ok };
}

interface ActionProps {
  /** Resolves with a `Sent`, or with anything else if it succeeded. */
  run: () => Promise<unknown>;
  /** Shown on success if the response has no message. */
  done: string;
  children: ComponentChildren;
  kind?: 'main' | 'danger' | 'icon';
  disabled?: boolean;
  /** Names a button that shows only an icon. */
  label?: string;
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
    try {
      const result = await run();
      update();
      showToast(toastOf(done, result));
    } catch (error) {
      showToast({ text: (error as Error).message, isError: true });
    }
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
  children,
}: {
  text: string | (() => Promise<string>);
  children: ComponentChildren;
}): preact.JSX.Element {
  const copy = async (): Promise<void> =>
    navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
  return (
    <Action run={copy} done="Copied.">
      {children}
    </Action>
  );
}

export function CopyId({ id }: { id: string }): preact.JSX.Element {
  return (
    <Action run={() => navigator.clipboard.writeText(id)} done="Copied." label={`Copy ${id}`} kind="icon">
      <svg class="copy" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M9 9h11v11H9zM15 9V4H4v11h5" />
      </svg>
    </Action>
  );
}
