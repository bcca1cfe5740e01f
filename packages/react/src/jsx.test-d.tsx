import type { ReactElement } from 'react';
import type { EmbeddedFlowElementProps } from './jsx.js';

export const shown: ReactElement = (
  <embedded-flow
    flow="autopay"
    session={{ sessionUrl: 'https://pay.example.com/s/stg_1' }}
    locale="es"
    className="wide"
    hidden
    onsettled={({ detail }) => detail.status === 'completed'}
    onerror={({ detail }) => detail.retryable}
  />
);
const noSession: EmbeddedFlowElementProps = { session: null };
export const waiting: ReactElement = <embedded-flow {...noSession} />;
// @ts-expect-error -- no such flow
export const unknown: ReactElement = <embedded-flow flow="refund" />;
// @ts-expect-error -- no session
export const promised: ReactElement = <embedded-flow session={Promise.resolve('')} />;
