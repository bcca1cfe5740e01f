import { useEmbeddedFlow, type Flow, type PaymentResult } from '@embedded-sessions/react';
import { useState } from 'react';
import { InlineFlow } from './inline-flow.js';
import { Notice, failed, type Message } from './notice.js';
import { createSession, messageOf, readAccount, stopAutopay, type SiteView } from './site.js';

interface Service {
  flow: Exclude<Flow, 'payment'>;
  action: string;
  about: string;
}

const SERVICES: readonly Service[] = [
  {
    flow: 'autopay',
    action: 'Manage AutoPay',
    about: 'AutoPay charges your bill on its due date.',
  },
  {
    flow: 'schedule-payment',
    action: 'Schedule a payment',
    about: 'Choose a later day for one payment.',
  },
  {
    flow: 'scheduled-payments',
    action: 'View scheduled payments',
    about: 'View or cancel upcoming payments.',
  },
  {
    flow: 'wallet',
    action: 'Manage payment methods',
    about: 'Your saved cards and bank accounts.',
  },
  {
    flow: 'paperless',
    action: 'Manage paperless billing',
    about: 'Get bills by email instead of mail.',
  },
  {
    flow: 'notifications',
    action: 'Manage notifications',
    about: 'Choose what we send you by email or text.',
  },
];

export function Services(props: {
  view: SiteView;
  inline: boolean;
  onInline: (inline: boolean) => void;
  onView: (view: SiteView) => void;
}) {
  const { view, inline, onInline, onView } = props;
  const [message, setMessage] = useState<Message>();
  const [shown, setShown] = useState<{ service: Service; key: number }>();
  const { start, status } = useEmbeddedFlow({ onSettled: settle });
  const isOn = (flow: Flow): boolean =>
    (flow === 'autopay' && view.autopay) || (flow === 'paperless' && view.paperless);

  function show(next: Promise<SiteView>): void {
    next.then(onView, (error: unknown) => setMessage(failed(error)));
  }

  function settle(result: PaymentResult): void {
    if (result.status !== 'completed') setShown(undefined);
    if (result.status === 'failed') setMessage({ text: messageOf(result.error), bad: true });
    // The backend gets the flow's changes by webhook.
    else show(readAccount());
  }

  function open(service: Service): void {
    setMessage(undefined);
    setShown(inline ? { service, key: (shown?.key ?? 0) + 1 } : undefined);
    if (!inline) void start(({ signal }) => createSession(service.flow, signal));
  }

  return (
    <section className="card stack" aria-labelledby="services-title">
      <h2 id="services-title">Your account, your way</h2>
      <fieldset className="row">
        <legend className="muted">Open payment and services</legend>
        <label>
          <input type="radio" name="place" checked={!inline} onChange={() => onInline(false)} /> In a window
        </label>
        <label>
          <input type="radio" name="place" checked={inline} onChange={() => onInline(true)} /> In this page
        </label>
      </fieldset>
      <ul className="services">
        {SERVICES.map((service) => (
          <li key={service.flow} className="stack">
            <p>
              {service.about} {isOn(service.flow) && <span className="pill">On</span>}
            </p>
            <div className="row">
              <button className="button" disabled={status === 'preparing'} onClick={() => open(service)}>
                {service.action}
              </button>
              {service.flow === 'autopay' && view.autopay && (
                <button className="button" onClick={() => show(stopAutopay())}>
                  Stop AutoPay
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Notice message={message} />
      {inline && shown && (
        <InlineFlow
          key={shown.key}
          flow={shown.service.flow}
          label={shown.service.action}
          onSettled={settle}
        />
      )}
    </section>
  );
}
