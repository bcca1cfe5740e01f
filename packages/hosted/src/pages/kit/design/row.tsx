import type { ComponentChildren } from 'preact';

/** What something is called and what it is, a line of `<dl class="rows">`. */
export function Row(props: { label: string; kind?: string; children: ComponentChildren }) {
  return (
    <div class={props.kind}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
