/** The parts of `@mdn/mdn-http-observatory` that the judges use. */
interface Answer {
  headers: Record<string, string>;
  status?: number;
  verified?: boolean;
  httpEquiv?: Map<string, string[]>;
  request?: { headers: Record<string, string> };
}

export interface Requests {
  responses: { auto: Answer | null; cors: Answer | null };
  resources: { path: string | null };
  session: { url: URL; jar: { serializeSync(): { cookies: unknown[] } } } | null;
}

export type Test = (requests: Requests) => { pass: boolean; result: string };
