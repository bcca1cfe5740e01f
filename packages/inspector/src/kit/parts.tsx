import type { ComponentChildren } from 'preact';
import { type Change, type Json, labelOf } from '@shared/inspector.js';
import { shortTime } from './time.js';

export function Time({ at }: { at: string }): preact.JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {shortTime(at)}
    </time>
  );
}

export const money = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const GOOD = /^(succeeded|completed|delivered|sent|2\d\d)$/i;
const BAD = /^(failed|declined|returned|expired|canceled|disabled|[45]\d\d)$/i;

/** A state or an HTTP status, as text and color. */
export function Status({ of, isBad = false }: { of: string | number; isBad?: boolean }): preact.JSX.Element {
  const word = String(of);
  const tone = isBad || BAD.test(word) ? 'bad' : '';
  return <span class={`status ${GOOD.test(word) ? 'good' : tone}`}>{labelOf(word)}</span>;
}

export function Panel({
  title,
  children,
}: {
  title: string;
  children: ComponentChildren;
}): preact.JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Facts({ facts }: { facts: Record<string, ComponentChildren> }): preact.JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
  kind?: string;
}

export function Select({ label, value, options, onChange, kind }: SelectProps): preact.JSX.Element {
  return (
    <label class={kind}>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A code block that can be scrolled with the keyboard. */
export function Code({ label, text }: { label: string; text: string }): preact.JSX.Element {
  return (
    <pre class="code" role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

export const pretty = (value: Json = ''): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

export function Changes({ changes }: { changes: readonly Change[] }): preact.JSX.Element {
  if (changes.length === 0) return <p class="nothing">Nothing was changed.</p>;
  return (
    <ul class="changes">
      {changes.map(({ what, id, was, is }, index) => (
        <li key={index}>
          <h3>
            {was === undefined ? 'New' : 'Changed'} {what} <code>{id}</code>
          </h3>
          <div class="columns">
            {was !== undefined && <Code label={`Change ${index + 1}, before`} text={pretty(was)} />}
            <Code label={`Change ${index + 1}, after`} text={pretty(is)} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Shown until the content has loaded, or instead of it after a failure. */
export function Placeholder({ problem }: { problem: string | undefined }): preact.JSX.Element {
  return (
    <p class="nothing" role={problem === undefined ? undefined : 'alert'}>
      {problem ?? 'Loading…'}
    </p>
  );
}
