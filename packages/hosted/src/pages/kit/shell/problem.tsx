/** Full-page messages that explain why no flow is shown, and what to do. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AnyIcon, type AnyIconName } from '../design/more-icons.js';
import { rest } from '../text/index.js';
import { showFromTop } from './show-from-top.js';
import type { Problem } from './shell.js';

interface ProblemText {
  title: string;
  body: string;
  icon: AnyIconName;
}

export function problemText(problem: Problem, business: string): ProblemText {
  const text = rest.problem;
  switch (problem.kind) {
    case 'expired':
      return { title: text.expired.title, body: text.expired.body(business), icon: 'clock' };
    case 'canceled':
      return { title: text.canceled.title, body: text.canceled.body(business), icon: 'alert' };
    case 'unauthorized':
      return { title: text.unauthorized.title, body: text.unauthorized.body(business), icon: 'alert' };
    case 'notAllowed':
      return { title: text.notAllowed.title, body: text.notAllowed.body(problem.origin), icon: 'lock' };
    case 'unreachable':
    case 'broken':
    case 'silentFrame':
      return { ...text[problem.kind], icon: 'alert' };
  }
}

/** A message that fills the page. Focuses its heading. */
export function Statement(props: {
  title: string;
  body?: string | undefined;
  icon: AnyIconName;
  tone?: 'success' | 'warning';
  children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => showFromTop(heading.current), [props.title]);
  return (
    <section class={`statement ${props.tone ?? 'warning'}`}>
      <span class="statement-icon">
        <AnyIcon name={props.icon} />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {props.title}
      </h1>
      {props.body !== undefined && <p>{props.body}</p>}
      {props.children}
    </section>
  );
}
