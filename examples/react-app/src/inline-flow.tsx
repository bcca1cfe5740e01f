import { EmbeddedFlow, type Flow, type PaymentResult } from '@embedded-sessions/react';
import { createSession } from './site.js';

const reveal = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/** Shows any of the seven flows in the page. The parent shows errors. */
export function InlineFlow(props: { flow: Flow; label: string; onSettled: (result: PaymentResult) => void }) {
  const { flow, label, onSettled } = props;
  return (
    <div className="inline-flow" ref={reveal}>
      <EmbeddedFlow
        flow={flow}
        session={({ signal }) => createSession(flow, signal)}
        aria-label={label}
        renderError={() => null}
        onSettled={onSettled}
      />
    </div>
  );
}
