import type { ComponentChildren } from 'preact';

export type DetailRow = readonly [label: string, value: string];

export function DetailRows({ rows, children }: { rows: readonly DetailRow[]; children?: ComponentChildren }) {
  return (
    <dl class="rows">
      {children}
      {rows.map(([label, value]) => (
        <Row key={label} label={label}>
          <bdi>{value}</bdi>
        </Row>
      ))}
    </dl>
  );
}

/** A label and its value, in `<dl class="rows">`. */
export function Row(props: { label: string; kind?: string; children: ComponentChildren }) {
  return (
    <div class={props.kind}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
