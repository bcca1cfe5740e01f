import type { ComponentChildren } from 'preact';

/** A link that looks like a button and navigates the top-level page. */
export function LinkButton(props: {
  href: string;
  kind?: 'primary' | 'secondary' | 'quiet';
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${props.kind ?? 'primary'}`} href={props.href} target="_top" rel="noreferrer">
      {props.children}
    </a>
  );
}
