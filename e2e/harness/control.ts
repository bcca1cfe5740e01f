/** The control API of a service under test, with the names used in the docs. */
export interface Fault {
  kind: 'latency' | 'status' | 'drop-before-commit' | 'drop-after-commit';
  times?: number;
  path?: string;
  ms?: number;
  status?: number;
}

export interface ControlState {
  accounts: (Record<string, unknown> & {
    AccountNumber: string;
    SubAccountNumber: string;
    customers: string[];
  })[];
  customers: { EmailAddress: string; FirstName?: string; LastName?: string }[];
  sessions: { id: string; flow: string; status: string }[];
  payments: {
    sessionId: string;
    amount: number;
    method: string;
    status: 'succeeded' | 'declined' | 'pending' | 'returned';
    last4: string;
  }[];
  paymentMethods: { id: string; EmailAddress: string; method: string; last4: string }[];
  autopay: { AccountNumber: string; SubAccountNumber: string; EmailAddress: string }[];
  paperless: { AccountNumber: string; SubAccountNumber: string; EmailAddress: string }[];
  scheduledPayments: { id: string; AccountNumber: string; amount: number; date: string; status: string }[];
  notifications: (Record<string, unknown> & { EmailAddress: string })[];
  authorizations?: { text: string; agreedAt: string; revokedAt?: string }[];
  webhooks: { type: string; status: string; attempts: number }[];
}

export interface Control {
  /** `advance('31m')` moves the clock and waits until all jobs due by then have run. */
  advance(duration: string): Promise<void>;
  reset(): Promise<void>;
  fault(fault: Fault): Promise<void>;
  state(businessUnit?: string): Promise<ControlState>;
}

export function controlOf(url: string): Control {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`control ${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return {
    advance: async (duration) => void (await call('POST', '/clock', { advance: duration })),
    reset: async () => void (await call('POST', '/reset', {})),
    fault: async (fault) => void (await call('POST', '/faults', { times: 1, ...fault })),
    state: async (businessUnit = 'harborlight-water') =>
      (await call('GET', `/state?businessUnit=${encodeURIComponent(businessUnit)}`)) as ControlState,
  };
}
