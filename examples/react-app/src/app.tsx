import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider } from '@embedded-sessions/react';
import { useMemo, useState } from 'react';
import { Activity } from './activity.js';
import { Bill } from './bill.js';
import { Lab } from './lab.js';
import { Profile } from './profile.js';
import { Services } from './services.js';
import type { SiteView } from './site.js';

export type Place = 'modal' | 'inline';

// In the URL, because switching needs a reload: a page can load the SDK of only one environment.
const WRONG_LOADER = new URLSearchParams(location.search).get('loader') === 'other';

const APPEARANCE = {
  accent: '#0a6272',
  accentDark: '#6cc9d6',
  // For the modal while it opens.
  brand: { name: 'Harborlight Water', logoUrl: '/favicon.svg' },
};

export function App({ first }: { first: SiteView }) {
  const [view, setView] = useState(first);
  const [number, setNumber] = useState(first.accounts[0]?.number);
  const [place, setPlace] = useState<Place>('modal');

  const { environment, loaderUrls, customer } = view;
  const other = environment === 'staging' ? 'production' : 'staging';
  const loaderUrl = WRONG_LOADER ? loaderUrls[other] : view.loaderUrl;
  const { staging, production } = loaderUrls;
  // The environment follows from `loaderUrl`, so going live doesn't change this code.
  const loader = useMemo(
    () =>
      createLoader({
        loaderUrl,
        loaderUrls: { staging, production },
        appearance: APPEARANCE,
      }),
    [loaderUrl, staging, production],
  );
  const account = view.accounts.find((each) => each.number === number) ?? view.accounts[0];
  if (!account) return null;

  return (
    <EmbeddedProvider loader={loader}>
      <a className="skip" href="#bill">
        Skip to your bill
      </a>
      <header className="band">
        <div className="wrap">
          <div className="masthead">
            <a className="wordmark" href="/">
              <img src="/favicon.svg" alt="" /> Harborlight Water
            </a>
            <span className="signed-in">
              {customer.firstName} {customer.lastName}
            </span>
          </div>
          <div className="greeting stack">
            <h1>Hello, {customer.firstName}.</h1>
            <div className="tabs" role="group" aria-label="Account">
              {view.accounts.map((each) => (
                <button
                  key={each.number}
                  type="button"
                  aria-pressed={each === account}
                  onClick={() => setNumber(each.number)}
                >
                  {each.nickname}
                </button>
              ))}
            </div>
          </div>
        </div>
      </header>
      <main className="wrap">
        <Bill key={`bill-${account.number}`} account={account} view={view} place={place} onView={setView} />
        <Services key={account.number} account={account} place={place} onPlace={setPlace} onView={setView} />
        <div className="columns">
          <Activity account={account} />
          <div className="stack">
            <Profile customer={customer} onView={setView} />
            <Lab
              environment={environment}
              other={other}
              wrongLoader={WRONG_LOADER}
              onWrongLoader={(on) => location.assign(on ? '/?loader=other' : '/')}
              onView={setView}
            />
          </div>
        </div>
      </main>
      <footer className="site-footer">
        <div className="wrap">Harborlight Water is an example. No money moves, and no water either.</div>
      </footer>
    </EmbeddedProvider>
  );
}
