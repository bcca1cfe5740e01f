import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Checkout } from './checkout';
import { readSettings } from './operator';

export const metadata: Metadata = { title: 'Harborlight Water', icons: 'data:,' };
/** The environment is the process', not the build's. */
export const dynamic = 'force-dynamic';

export default function Layout({ children }: { children: ReactNode }) {
  const { loaderUrl, loaderUrls } = readSettings();
  return (
    <html lang="en">
      <body style={{ font: '1rem/1.5 system-ui', maxWidth: '40rem', margin: '2rem auto', padding: '0 1rem' }}>
        <main>
          <h1>Harborlight Water</h1>
          <Checkout loaderUrl={loaderUrl} loaderUrls={loaderUrls}>
            {children}
          </Checkout>
        </main>
      </body>
    </html>
  );
}
