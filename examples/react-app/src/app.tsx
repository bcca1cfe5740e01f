import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider } from '@embedded-sessions/react';
import { useState } from 'react';
import { Activity } from './activity.js';
import { Bill } from './bill.js';
import { Lab } from './lab.js';
import { Profile } from './profile.js';
import { Services } from './services.js';
import type { SiteView } from './site.js';

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
  const [inline, setInline] = useState(false);
  const { environment, loaderUrls } = view;
  const other = environment === 'staging' ? 'production' : 'staging';
  // The environment follows from `loaderUrl`, so going live doesn't change this code.
  const [loader] = useState(() =>
    createLoader({
      loaderUrl: WRONG_LOADER ? loaderUrls[other] : view.loaderUrl,
      loaderUrls,
      appearance: APPEARANCE,
    }),
  );

  return (
    <EmbeddedProvider loader={loader}>
      <header className="band">
        <div className="row row--apart">
          <a className="wordmark" href="/">
            <img src="/favicon.svg" alt="" /> Harborlight Water
          </a>
          <span>
            {view.firstName} {view.lastName}
          </span>
        </div>
        <h1>Hello, {view.firstName}.</h1>
        <p>18 Lantern Street · Account {view.accountNumber}</p>
      </header>
      <main>
        <Bill bill={view.bill} inline={inline} onView={setView} />
        <Activity activity={view.activity} />
        <Services view={view} inline={inline} onInline={setInline} onView={setView} />
        <Profile emailAddress={view.emailAddress} onView={setView} />
        <Lab environment={environment} other={other} wrongLoader={WRONG_LOADER} onView={setView} />
      </main>
      <footer>Harborlight Water is an example. No money moves, and no water either.</footer>
    </EmbeddedProvider>
  );
}
