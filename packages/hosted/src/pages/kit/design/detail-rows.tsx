import type { ComponentChildren } from 'preact';

export type DetailRow = readonly [label: string, value: string];

export function DetailRows({ rows, children }: { rows: readonly DetailRow[]; children?: ComponentChildren }) {
  return (
    <dl class="rows">
      {children}
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
