import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import '../../merchant-backend/public/harborlight.css';
import { bill } from './bill';
import { Checkout } from './checkout';
import { readSettings } from './operator';

export const metadata: Metadata = { title: 'Your water bill – Harborlight Water', icons: 'data:,' };
/** Reads the environment at runtime, not at build time. */
export const dynamic = 'force-dynamic';

export default function Layout({ children }: { children: ReactNode }) {
  const { loaderUrl, loaderUrls } = readSettings();
  return (
    <html lang="en">
      <body>
        <header className="band">
          <span className="wordmark">Harborlight Water</span>
          <h1>Hello, Ana.</h1>
          <p>Account {bill.accountNumber}</p>
        </header>
        <main>
          <Checkout loaderUrl={loaderUrl} loaderUrls={loaderUrls}>
            {children}
          </Checkout>
        </main>
      </body>
    </html>
  );
}
