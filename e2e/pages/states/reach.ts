/** Shared by all page states: how to reach one. */
import type { Page } from 'playwright-core';
import type { CreatedSession, Flow, Service } from '../../harness/index.js';
import { visit, type Stage } from '../stage.js';

export interface PageState {
  name: string;
  /** Shown in the gallery under this heading. */
  gallery?: string;
  /** The color scheme that it opens in and keeps, if it doesn't follow later changes of the system's. */
  scheme?: 'light' | 'dark';
  /** The page to use: the stage's own, or one in another language. */
  reach(stage: Stage): Promise<Page>;
}

export type Body = Record<string, unknown>;

/** The merchant's pages around a payment that is not in a frame. */
export const REDIRECTS = {
  SuccessUrl: 'https://shop.example/paid',
  ReturnUrl: 'https://shop.example/bills',
};

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).waitFor();
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Creates and opens a session on one of the stage's services. */
export async function open(stage: Stage, service: Service, flow: Flow, body: Body = {}): Promise<Page> {
  return visit(stage.page, (await service.create(flow, body)).sessionUrl);
}

/** A session that changed before it was opened, and the message that its page shows. */
export async function openAfter(
  stage: Stage,
  service: Service,
  verdict: string,
  happen: (session: CreatedSession) => Promise<unknown>,
  body: Body = {},
): Promise<Page> {
  const session = await service.create('payment', body);
  await happen(session);
  const page = await visit(stage.page, session.sessionUrl);
  await heading(page, verdict);
  return page;
}

/** Changes what the service says about the next session. */
export function changeSession(page: Page, change: object): Promise<unknown> {
  return page.route('**/api/session', async (route) => {
    const response = await route.fetch();
    const envelope = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...envelope, data: { ...envelope.data, ...change } } });
  });
}

export async function pressAndFail(page: Page, name: string | RegExp, said = ''): Promise<Page> {
  await press(page, name);
  await page.getByRole('alert').filter({ hasText: said }).waitFor();
  return page;
}

/** Prepares the stage's page for the next state, and closes any other page. */
export async function leave(stage: Stage, page: Page): Promise<void> {
  if (page !== stage.page) return page.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
