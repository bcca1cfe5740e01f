import { EmbeddedFlow, useEmbeddedFlow, type Flow } from '@embedded-sessions/react';
import { useState } from 'react';
import type { Place } from './app.js';
import {
  createSession,
  readAccount,
  messageOf,
  reveal,
  stopAutopay,
  type AccountView,
  type SiteView,
} from './site.js';

type Service = { flow: Exclude<Flow, 'payment'>; name: string; about: string; action: string };

const SERVICES: readonly Service[] = [
  {
    flow: 'autopay',
    name: 'AutoPay',
    about: 'We charge your bill on its due date.',
    action: 'Manage AutoPay',
  },
  {
    flow: 'schedule-payment',
    name: 'Pay on a later day',
    about: 'Choose a day for one payment.',
    action: 'Schedule a payment',
  },
  {
    flow: 'scheduled-payments',
    name: 'Scheduled payments',
    about: 'View or cancel upcoming payments.',
    action: 'View scheduled payments',
  },
  {
    flow: 'wallet',
    name: 'Cards and bank accounts',
    about: 'Your saved payment methods.',
    action: 'Manage payment methods',
  },
  {
    flow: 'paperless',
    name: 'Paperless billing',
    about: 'Bills by email instead of mail.',
    action: 'Manage paperless billing',
  },
  {
    flow: 'notifications',
    name: 'Notifications',
    about: 'Choose what we send you by email or text message.',
    action: 'Manage notifications',
  },
];

const isOn = (flow: Flow, { autopay, paperless }: AccountView): boolean =>
  (flow === 'autopay' && autopay) || (flow === 'paperless' && paperless);

export function Services(props: {
  account: AccountView;
  place: Place;
  onPlace: (place: Place) => void;
  onView: (view: SiteView) => void;
}) {
  const { account, place, onPlace, onView } = props;
  const [inline, setInline] = useState<{ service: Service; key: number } | null>(null);
  const [problem, setProblem] = useState('');

  const attempt = async (work: () => Promise<SiteView>): Promise<void> => {
    setProblem('');
    try {
      onView(await work());
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const { start, status } = useEmbeddedFlow({
    onSettled: (result) => {
      if (result.status === 'failed') setProblem(messageOf(result.error));
      // The backend gets the flow's changes by webhook.
      else void attempt(readAccount);
    },
  });

  function open(service: Service): void {
    setProblem('');
    if (place === 'inline') setInline((now) => ({ service, key: (now?.key ?? 0) + 1 }));
    else {
      setInline(null);
      void start(({ signal }) => createSession(service.flow, account.number, signal));
    }
  }

  return (
    <section className="card" aria-labelledby="services-title">
      <div className="row row--apart">
        <h2 id="services-title">Your account, your way</h2>
        <fieldset className="segmented">
          <legend className="hidden">Open payment and services</legend>
          {(['modal', 'inline'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="place"
                value={each}
                checked={place === each}
                onChange={() => onPlace(each)}
              />
              {each === 'modal' ? 'In a window' : 'In this page'}
            </label>
          ))}
        </fieldset>
      </div>
      <ul className="services">
        {SERVICES.map((service) => (
          <li key={service.flow} className="service">
            <div className="row row--apart">
              <h3>{service.name}</h3>
              {isOn(service.flow, account) && <span className="pill pill--ok">On</span>}
            </div>
            <p className="muted small">{service.about}</p>
            <div className="row">
              <button
                type="button"
                className="button button--small"
                disabled={status === 'preparing'}
                onClick={() => open(service)}
              >
                {service.action}
              </button>
              {service.flow === 'autopay' && account.autopay && (
                <button
                  type="button"
                  className="button button--small"
                  onClick={() => void attempt(() => stopAutopay(account.number))}
                >
                  Stop AutoPay
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {problem && (
        <p role="alert" className="notice notice--bad">
          {problem}
        </p>
      )}
      {inline && (
        <div className="inline-flow" ref={reveal} key={inline.key}>
          <EmbeddedFlow
            flow={inline.service.flow}
            session={({ signal }) => createSession(inline.service.flow, account.number, signal)}
            sessionKey={`${inline.service.flow}-${inline.key}`}
            aria-label={inline.service.name}
            renderError={() => null}
            onSettled={(result) => {
              if (result.status !== 'completed') setInline(null);
              if (result.status === 'failed') setProblem(messageOf(result.error));
              else void attempt(readAccount);
            }}
          />
        </div>
      )}
    </section>
  );
}
