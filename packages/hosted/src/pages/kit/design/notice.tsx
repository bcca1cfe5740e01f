import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from './focus-on.js';
import { AnyIcon, type AnyIconName } from './more-icons.js';

export type Tone = 'danger' | 'warning' | 'success' | 'info';

const ICONS: Record<Tone, AnyIconName> = {
  danger: 'alert',
  warning: 'alert',
  success: 'check',
  info: 'lock',
};

/** A message in the page. `focused` moves the focus to it whenever its key or words change. */
export function Notice(props: { tone: Tone; focused?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (props.focused === true) focusOn(box.current);
  }, [props.focused]);
  return (
    <div
      ref={box}
      class={`notice ${props.tone}`}
      role={props.tone === 'danger' || props.tone === 'warning' ? 'alert' : 'status'}
      tabIndex={-1}
    >
      <AnyIcon name={ICONS[props.tone]} />
      <div>{props.children}</div>
    </div>
  );
}
