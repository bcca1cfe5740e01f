import { StrictMode, use, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import '../../merchant-backend/public/harborlight.css';
import { App } from './app.js';
import { readAccount, type SiteView } from './site.js';

const first = readAccount().catch((error: unknown) =>
  error instanceof Error ? error : new Error(String(error)),
);

function Start({ view }: { view: Promise<SiteView | Error> }) {
  const loaded = use(view);
  return loaded instanceof Error ? (
    <main className="wrap">
      <h1>Harborlight Water</h1>
      <p role="alert" className="notice notice--bad">
        {loaded.message}
      </p>
    </main>
  ) : (
    <App first={loaded} />
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Suspense>
      <Start view={first} />
    </Suspense>
  </StrictMode>,
);
