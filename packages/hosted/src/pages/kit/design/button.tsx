import type { ComponentChildren } from 'preact';

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  /** `submit`: Enter in a field of its form presses it too. */
  type?: 'button' | 'submit';
  onPress: () => void;
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
  type = 'button',
  onPress,
  busy = false,
  waiting,
  label,
  id,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={busy || waiting === true}
      aria-label={label}
      id={id}
      onClick={(event) => {
        // A sandbox without `allow-forms` lets no form submit, so the button does.
        event.preventDefault();
        // Ignores the second click of a double click, which may have started on the merchant's page.
        if (busy || waiting === true || event.detail > 1) return;
        // Fields are disabled during a request and would lose the focus.
        event.currentTarget.focus();
        onPress();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
