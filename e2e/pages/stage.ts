/** The services under test and their initial data. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES } from '../../packages/service/src/shared/languages.js';
import type { PaymentPageSession } from '../../packages/service/src/shared/page.js';
import {
  openTab,
  startOrigin,
  startService,
  type CreatedSession,
  type Origin,
  type Service,
} from '../harness/index.js';

export interface Stage {
  /** Everything enabled: fields, adjustable amounts, both methods, a custom color. */
  full: Service;
  /** No processor, so it takes no payments. Started for the first state that needs it. */
  production(): Promise<Service>;
  /** Tests move its clock, so its states must be visited in order. */
  later: Service;
  /** A page of the merchant, with the SDK of `full`. */
  merchant: Origin;
  browser: Browser;
  /** Shared by states, because opening a page is slow. */
  page: Page;
  stop(): Promise<void>;
}

export const HOSTILE = '<script>alert(1)</script>\u202Egnitrevni';

export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="9" fill="#0b6e75"/><path d="M20 8c5 7 8 11 8 15a8 8 0 0 1-16 0c0-4 3-8 8-15z" fill="#fff"/></svg>';

const BRAND = {
  appearance: { accent: '#0b6e75', accentDark: '#58c4c4' },
  logoUrl: `data:image/svg+xml,${encodeURIComponent(LOGO)}`,
  links: {
    account: 'https://water.example/account',
    terms: 'https://water.example/terms',
    privacy: 'https://water.example/privacy',
    help: 'https://water.example/help',
  },
};

/** Another business unit of `full`, with the same brand, no fields and fixed amounts. */
export const PLAIN = 'harborlight-plain';

const OPERATOR = { operator: { name: 'Beacon Payments' } };

const FULL = {
  ...BRAND,
  allowAmountAdjustment: true,
  paymentFields: [
    {
      key: 'InvoiceNumber',
      label: 'Invoice number',
      labels: { es: 'Número de factura', ar: 'رقم الفاتورة' },
      required: true,
    },
    { key: 'Memo', label: 'Memo', labels: { es: 'Nota', ar: 'ملاحظة' }, required: false },
  ],
};

/** Another business unit of `full`, without methods, and with an unreadable name and color. */
export const WITHOUT_METHODS = 'without-methods';
const UNREADABLE = {
  ...BRAND,
  slug: WITHOUT_METHODS,
  name: HOSTILE,
  appearance: { accent: '#ffe600' },
  paymentMethods: [],
};

const wordmark = (color: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="4 0 132 40"><circle cx="20" cy="20" r="13" fill="none" stroke="${color}" stroke-width="6"/><text x="42" y="28" textLength="94" fill="${color}" font-family="serif" font-size="24" font-weight="bold">Lantern</text></svg>`)}`;

/** Another business unit of `full`, with a logo that contains its name, one for dark pages, and nearly square corners. */
export const WITH_WORDMARK = 'lantern-gas';
const LANTERN = {
  ...BRAND,
  slug: WITH_WORDMARK,
  name: 'Lantern Gas',
  appearance: { accent: '#7a1f5c', accentDark: '#ff9ad5', radius: 2 },
  logoUrl: wordmark('#7a1f5c'),
  logoUrlDark: wordmark('#ff9ad5'),
  logoShape: 'wordmark',
};

/** A merchant's page with a container for an inline form. */
const merchantPage = (
  sdk: string,
): string => `<!doctype html><html lang="en"><head><title>Pay your bill</title>
  <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
  <link rel="icon" href="data:,"><script src="${sdk}"></script>
  <style>html{background:#fff;color:#17212f}@media (prefers-color-scheme:dark){html{background:#10151c;color:#eef2f6}}
  body{max-width:640px;margin:24px auto;padding:0 16px;font:16px/1.5 system-ui}</style></head>
  <body><main><h1>Your November bill</h1><p>Water and sewer, due December 5.</p><div id="inline"></div></main></body></html>`;

export async function startStage(browser: Browser): Promise<Stage> {
  const merchant = await startOrigin({ host: 'localhost' });
  const [page, full, later] = await Promise.all([
    openTab(browser),
    startService({
      allowedOrigins: [merchant.url],
      businessUnit: FULL,
      otherUnits: [LANTERN, UNREADABLE, { ...BRAND, slug: PLAIN, name: 'Harborlight Water' }],
      settings: OPERATOR,
    }),
    startService({
      businessUnit: BRAND,
      settings: { ...OPERATOR, email: { from: 'Harborlight Water <bills@water.example>' } },
    }),
  ]);
  merchant.routes['/'] = merchantPage(full.loaderUrl);
  let production: Promise<Service> | undefined;
  return {
    full,
    // Production doesn't offer languages that nobody has reviewed unless the business unit names them.
    production: () =>
      (production ??= startService({
        env: 'production',
        businessUnit: { ...BRAND, languages: LANGUAGES },
        settings: OPERATOR,
      })),
    later,
    merchant,
    browser,
    page,
    stop: async () => {
      await Promise.all([merchant.stop(), full.stop(), (await production)?.stop(), later.stop()]);
    },
  };
}

/** Opens a session's address and waits until content is visible. */
export async function visit(where: Page | Browser, url: string): Promise<Page> {
  const page = 'newContext' in where ? await openTab(where) : where;
  await page.goto(url);
  await page.locator('#page .flow, #page .statement').first().waitFor();
  return page;
}

/** Sends a page's request to the service without the page. Messages to the payer are in `language`. */
export async function ask(
  session: Pick<CreatedSession, 'sessionUrl'>,
  path: string,
  body?: unknown,
  language = 'en',
): Promise<unknown> {
  const url = new URL(session.sessionUrl);
  const response = await fetch(`${url.origin}${url.pathname}/api/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${url.hash.slice(1)}`,
      'content-type': 'application/json',
      'accept-language': language,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const envelope = (await response.json()) as { ok: boolean; data?: unknown; errors?: unknown };
  if (!envelope.ok) throw new Error(`${path}: ${JSON.stringify(envelope.errors)}`);
  return envelope.data;
}

export const CARD = {
  method: 'Credit Card',
  cardNumber: '4242424242424242',
  expiry: '12/34',
  securityCode: '123',
  name: 'Dana Reyes',
  zipCode: '04101',
};
export const BANK = {
  method: 'ACH',
  holder: 'Dana Reyes',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
/** A bank account whose payments are accepted first and returned at settlement. */
export const RETURNED = { ...BANK, accountNumber: '000111111116' };
export const DECLINED = { ...CARD, cardNumber: '4000000000000002' };

let customers = 0;
export interface Customer {
  EmailAddress: string;
  FirstName: string;
  LastName: string;
}
export function someCustomer(): Customer {
  return { EmailAddress: `dana.reyes${++customers}@example.com`, FirstName: 'Dana', LastName: 'Reyes' };
}

export function someAccount(AccountNumber = `HW-${20480 + ++customers}`): Record<string, unknown> {
  return { AccountNumber, Name: 'Dana Reyes', Balance: 8420 };
}

/** Saves a source in a customer's wallet and returns its id. */
export async function save(service: Service, ClientUser: Customer, source: unknown): Promise<string> {
  const wallet = await service.create('wallet', { ClientUser });
  const saved = await ask(wallet, 'methods', { requestId: randomUUID(), source, makeDefault: false });
  return (saved as { id: string }).id;
}

/** A customer with a bank account and a card that expires this month. The clock moves past that month after `before`. */
export async function expiredCard(
  service: Service,
  before: (saved: { ClientUser: Customer; methodId: string }) => Promise<unknown> = async () => undefined,
): Promise<{ ClientUser: Customer; methodId: string; expiry: string }> {
  const ClientUser = someCustomer();
  const { now } = (await ask(await service.create('wallet', { ClientUser }), 'session')) as { now: string };
  const expiry = `${now.slice(5, 7)}/${now.slice(2, 4)}`;
  const methodId = await save(service, ClientUser, { ...CARD, expiry });
  await before({ ClientUser, methodId });
  await service.control.advance('32d');
  await save(service, ClientUser, BANK);
  return { ClientUser, methodId, expiry };
}

/** Pays a session's charges in full and returns the attempt's result. */
export async function pay(
  session: Pick<CreatedSession, 'sessionUrl'>,
  source: unknown,
  fields = {},
): Promise<unknown> {
  const { charges } = (await ask(session, 'session')) as Pick<PaymentPageSession, 'charges'>;
  return ask(session, 'pay', {
    attemptId: randomUUID(),
    source,
    saveMethod: false,
    charges: charges.map(({ index, amount }) => ({ index, amount })),
    fields,
  });
}

export async function schedule(
  service: Service,
  ClientUser: Customer,
  ClientAccount: Record<string, unknown>,
  payment: { amount: number; days: number; methodId: string; language?: string },
): Promise<string> {
  const session = await service.create('schedule-payment', { ClientUser, SyncAccount: true, ClientAccount });
  const { now } = (await ask(session, 'session')) as { now: string };
  const date = new Date(Date.parse(now) + payment.days * 86_400_000).toISOString().slice(0, 10);
  const { amount, methodId, language } = payment;
  const made = await ask(session, 'schedule', { requestId: randomUUID(), amount, date, methodId }, language);
  return (made as { id: string }).id;
}
