/** Explains what went wrong and what to do, if no flow can be shown on the full page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../design/focus-on.js';
import { Icon, type IconName } from '../design/icons.js';
import { rest } from '../text/index.js';
import type { Refusal } from './api.js';
import type { Problem } from './shell.js';

interface ProblemText {
  title: string;
  body: string;
  icon: IconName;
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
    case 'refused':
      return { title: text.notAllowed.title, body: text.notAllowed.body(problem.origin), icon: 'lock' };
    case 'silent':
      return { ...text.silentFrame, icon: 'alert' };
    case 'unreachable':
      return { ...text.unreachable, icon: 'alert' };
  }
}

const FAILURES: Readonly<Record<Refusal, keyof typeof rest.failure>> = {
  conflict: 'conflict',
  too_many_attempts: 'conflict',
  not_found: 'notFound',
  payments_unavailable: 'unavailable',
  rate_limited: 'tooMany',
  invalid: 'invalid',
  expired: 'internal',
  canceled: 'internal',
  unauthorized: 'internal',
};

/** Describes a refusal to the payer. */
export function failureText(code: Refusal): string {
  return rest.failure[FAILURES[code]];
}

/** A message that fills the page. */
export function Statement(props: {
  title: string;
  body?: string | undefined;
  icon: IconName;
  tone?: 'success' | 'warning';
  children?: ComponentChildren;
}) {
  return (
    <section class={`statement ${props.tone ?? 'warning'}`}>
      <span class="statement-icon">
        <Icon name={props.icon} />
      </span>
      <StatementHeading text={props.title} />
      {props.body !== undefined && <p>{props.body}</p>}
      {props.children}
    </section>
  );
}

/** When it appears or its text changes, scrolls to the top and takes the focus, because it replaced other content. */
export function StatementHeading({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    focusOn(heading.current, { preventScroll: true });
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  );
}
