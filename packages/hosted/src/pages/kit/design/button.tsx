import type { ComponentChildren } from 'preact';

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  /** If omitted, the button submits its form. */
  onPress?: () => void;
  /** Stays focusable and is announced, but does nothing. */
  busy?: boolean;
  /** Like `busy`, but without a spinner, because something else is busy. */
  waiting?: boolean;
  label?: string;
  id?: string;
}

export function Button({
  children,
  kind = 'primary',
  onPress,
  busy = false,
  waiting,
  label,
  id,
}: ButtonProps) {
  return (
    <button
      type={onPress === undefined ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={busy || waiting === true}
      aria-label={label}
      id={id}
      onClick={(event) => {
        // Ignores the second click of a double click, which may have started on the merchant's page.
        if (busy || waiting === true || event.detail > 1) event.preventDefault();
        else onPress?.();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
