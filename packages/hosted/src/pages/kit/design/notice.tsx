import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from './focus-on.js';
import { Icon } from './icons.js';

interface NoticeProps {
  tone: 'danger' | 'warning' | 'success';
  /** Moves the focus to the notice when it appears. */
  focused?: boolean;
  children: ComponentChildren;
}

/** A message in the page. */
export function Notice(props: NoticeProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (props.focused === true) focusOn(box.current);
  }, [props.focused]);
  const isGood = props.tone === 'success';
  return (
    <div ref={box} class={`notice ${props.tone}`} role={isGood ? 'status' : 'alert'} tabIndex={-1}>
      <Icon name={isGood ? 'check' : 'alert'} />
      <div>{props.children}</div>
    </div>
  );
}
