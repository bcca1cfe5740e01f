import type { ComponentChildren } from 'preact';

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  /** Without it the button submits its form. */
  onPress?: () => void;
  /** Stays in the tab order and is announced, but does nothing. */
  busy?: boolean;
  /** The same without a sign of its own: something else is busy. */
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
        // The first click of two did what was wanted, here or where this page opened under it.
        if (busy || waiting === true || event.detail > 1) event.preventDefault();
        else onPress?.();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
