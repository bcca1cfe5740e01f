import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../../merchant-backend/public/harborlight.css';
import { App } from './app.js';
import { Notice, failed } from './notice.js';
import { readAccount } from './site.js';

const root = createRoot(document.getElementById('root')!);
try {
  const first = await readAccount();
  root.render(
    <StrictMode>
      <App first={first} />
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <main>
      <h1>Harborlight Water</h1>
      <Notice message={failed(error)} />
    </main>,
  );
}
