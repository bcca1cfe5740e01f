/** What the states of the pages share: how a payer gets to one. */
import type { Page } from 'playwright-core';
import type { CreatedSession, Flow, Service } from '../../harness/index.js';
import { visit, type Stage } from '../stage.js';

export interface PageState {
  name: string;
  /** In the gallery, under this heading. */
  gallery?: string;
  /** The page that it is on: the stage's own, or one of another language. */
  reach(stage: Stage): Promise<Page>;
}

export type Body = Record<string, unknown>;

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).waitFor();
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Opens a session of its own on one of the stage's services. */
export async function open(stage: Stage, service: Service, flow: Flow, body: Body = {}): Promise<Page> {
  return visit(stage.page, (await service.create(flow, body)).sessionUrl);
}

/** A session that something happened to before it is opened; the page's verdict on it. */
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

export async function pressInVain(page: Page, name: string | RegExp, said = ''): Promise<Page> {
  await press(page, name);
  await page.getByRole('alert').filter({ hasText: said }).waitFor();
  return page;
}

/** Makes the stage's page ready for the next state, which replaces what it shows; any other is closed. */
export async function leave(stage: Stage, page: Page): Promise<void> {
  if (page !== stage.page) return page.context().close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
