import { EmbeddedFlow, type SessionSource } from '@embedded-sessions/react';

interface PayInPageProps {
  billId: string;
  createSession: SessionSource;
  onNavigate: (path: string) => void;
}

export function PayInPage({ billId, createSession, onNavigate }: PayInPageProps) {
  return (
    <EmbeddedFlow
      flow="payment"
      session={createSession}
      sessionKey={billId}
      onComplete={() => onNavigate('/thanks')}
      onExpire={() => onNavigate('/bill')}
      loading={<p role="status">Your form is on its way…</p>}
      renderError={({ error, retry }) => (
        <p role="alert">
          The form could not be opened ({error.code}). <button onClick={retry}>Try again</button>
        </p>
      )}
      aria-label="Pay your bill"
      style={{ minHeight: 560 }}
    />
  );
}
