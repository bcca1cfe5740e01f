import type { ComponentChildren } from 'preact';

/** A link that looks like a button and navigates the top-level page, or opens another. */
export function LinkButton(props: {
  href: string;
  kind?: 'primary' | 'secondary' | 'quiet';
  opens?: boolean;
  children: ComponentChildren;
}) {
  const { href, kind = 'primary', opens = false } = props;
  return (
    <a class={`button ${kind}`} href={href} target={opens ? '_blank' : '_top'} rel="noreferrer">
      {props.children}
    </a>
  );
}
