import type { ComponentChildren } from 'preact';

/** A link that looks like a button and replaces the page around the frame. */
export function LinkButton(props: {
  href: string;
  kind?: 'primary' | 'secondary';
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${props.kind ?? 'primary'}`} href={props.href} target="_top" rel="noreferrer">
      {props.children}
    </a>
  );
}
