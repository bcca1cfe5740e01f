import type { ComponentChildren } from 'preact';

/** A label and its value, in `<dl class="rows">`. */
export function Row(props: { label: string; kind?: string; children: ComponentChildren }) {
  return (
    <div class={props.kind}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
