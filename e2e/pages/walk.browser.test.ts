/** Tests the focus and announcements after each step, for users who can't see the screen. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fillCard,
  type Flow,
  holdResponses,
  launch,
  openTab,
  type Service,
  startService,
} from '../harness/index.js';
import { focusOn, press, tabTo } from './keyboard.js';
import {
  ask,
  BANK,
  CARD,
  expiredCard,
  save,
  schedule,
  someAccount,
  someCustomer,
  visit,
  type Customer,
} from './stage.js';

let browser: Browser;
let service: Service;
let page: Page;

beforeAll(async () => {
  [browser, service] = await Promise.all([launch('chromium'), startService()]);
  page = await openTab(browser);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
});

const button = (name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const pressTwice = (element: Element): void => {
  (element as HTMLElement).click();
  (element as HTMLElement).click();
};
/** Returns whether an element other than the body has the focus. */
const hasFocusedElement = () =>
  expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true);

/** The text that `aria-describedby` refers to. Reports missing ids. */
const description = (target: Locator): Promise<string> =>
  target.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? `(no ${id})`)
      .join(' '),
  );

async function open(flow: Flow, ClientUser = someCustomer(), ClientAccount = someAccount()): Promise<string> {
  const ofAccount = flow === 'wallet' || flow === 'notifications' ? {} : { SyncAccount: true, ClientAccount };
  const session = await service.create(flow, flow === 'payment' ? {} : { ClientUser, ...ofAccount });
  await visit(page, session.sessionUrl);
  return session.sessionId;
}

/** Checks that a confirmation takes the focus before the action, and that both buttons return it. */
async function confirmsFirst(
  opener: Locator,
  question: RegExp,
  no: string,
  open = () => press(opener),
): Promise<void> {
  const group = page.getByRole('group', { name: question });
  await open();
  await focusOn(group);
  // The key that opened the confirmation is still down and must not press a button in it.
  await page.keyboard.press('Enter');
  await group.waitFor();
  await page.keyboard.press('Escape');
  await focusOn(opener);
  await open();
  await press(button(no));
  await focusOn(opener);
  await group.waitFor({ state: 'detached' });
}

describe('the focus', () => {
  it('R-57 wallet: moves to the opened form, and back to its button', { tags: ['thorough'] }, async () => {
    await open('wallet');
    await press(button('Add a payment method'));
    await focusOn(page.getByRole('radio', { name: 'Card', exact: true }));
    await press(button('Cancel'));
    await focusOn(button('Add a payment method'));
    await press(button('Add a payment method'));
    await press(button('Save payment method'));
    await focusOn(page.getByLabel('Card number'));
    await fillCard(page);
    await press(button('Save payment method'));
    await focusOn(page.getByRole('status').filter({ hasText: 'Visa ending in 4242 is saved' }));
    const menu = button('Manage Visa ending in 4242');
    await confirmsFirst(menu, /^Delete Visa/, 'Keep it', async () => {
      await press(menu);
      await press(button('Delete Visa ending in 4242'));
    });
    await press(button('Manage Visa ending in 4242'));
    await press(button('Delete Visa ending in 4242'));
    await press(button('Yes, delete'));
    await focusOn(page.getByRole('status').filter({ hasText: 'was deleted' }));
  });

  it(
    'R-57 wallet: a menu floats over the page, which makes room for it, until the payer turns elsewhere',
    { tags: ['thorough'] },
    async () => {
      const ClientUser = someCustomer();
      await save(service, ClientUser, CARD);
      await save(service, ClientUser, BANK);
      await open('wallet', ClientUser);
      const opener = button('Manage Bank account ending in 6789');
      const menu = page.locator('.menu');
      const topOfDone = () => button('Done').evaluate((done) => done.getBoundingClientRect().top + scrollY);
      const before = await topOfDone();
      await press(opener);
      await menu.waitFor();
      expect(await topOfDone()).toBe(before);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
      await focusOn(opener);

      // A page that ends with the method.
      await page.evaluate(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('.card > :not(header, ul) { display: none }');
        document.adoptedStyleSheets.push(sheet);
      });
      await press(opener);
      const space = await menu.evaluate(
        (each) => document.body.getBoundingClientRect().bottom - each.getBoundingClientRect().bottom,
      );
      expect(space).toBeGreaterThanOrEqual(0);
      await tabTo(button('Delete Bank account ending in 6789'));
      await page.keyboard.press('Escape');
      await focusOn(opener);
      await press(opener);
      await tabTo(button('Manage Visa ending in 4242'));
      await menu.waitFor({ state: 'detached' });
      await opener.click();
      const heading = page.getByRole('heading', { name: 'Payment methods' });
      // A finger that drags the page to show all of the menu.
      await heading.dispatchEvent('pointerdown');
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      expect(await menu.isVisible()).toBe(true);
      await heading.click();
      await menu.waitFor({ state: 'detached' });
    },
  );

  it(
    'R-57 AutoPay: moves likewise when changing the method and turning it off',
    { tags: 'thorough' },
    async () => {
      const ClientUser = someCustomer();
      const methodId = await save(service, ClientUser, CARD);
      await save(service, ClientUser, BANK);
      const ClientAccount = someAccount();
      const first = await service.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
      await ask(first, 'autopay/enroll', { methodId });
      await open('autopay', ClientUser, ClientAccount);
      await press(button('Change payment method'));
      await focusOn(page.getByRole('radio', { name: 'Visa ending in 4242' }));
      await press(button('Cancel'));
      await focusOn(button('Change payment method'));
      await confirmsFirst(button('Turn off AutoPay'), /^Turn off AutoPay/, 'Keep AutoPay');
    },
  );

  it(
    'R-57 paperless and scheduled payments: moves likewise for confirmations',
    { tags: 'thorough' },
    async () => {
      await open('paperless');
      await press(button('Go paperless'));
      await focusOn(page.getByRole('status').filter({ hasText: 'is now on' }));
      await confirmsFirst(button('Go back to paper bills'), /paper again/, 'Stay paperless');

      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const methodId = await save(service, ClientUser, CARD);
      await schedule(service, ClientUser, ClientAccount, { amount: 4000, days: 5, methodId });
      await open('scheduled-payments', ClientUser, ClientAccount);
      await confirmsFirst(button(/^Cancel payment of/), /^Cancel the .* payment/, 'Keep it');
    },
  );

  it('R-57 schedule: moves to the amount of another payment', { tags: 'thorough' }, async () => {
    await open('schedule-payment');
    const last = (await page.getByLabel('Payment date').getAttribute('max')) ?? '';
    await page.getByLabel('Payment date').fill(last);
    await fillCard(page);
    await press(button(/^Schedule \$/));
    await focusOn(page.getByRole('status').filter({ hasText: 'Payment scheduled' }));
    await press(button('Schedule another payment'));
    await focusOn(page.getByLabel('Amount'));
  });

  it('is not lost at the end of a payment', { tags: ['thorough'] }, async () => {
    await open('payment');
    await fillCard(page);
    await press(button('Pay $12.34'));
    await focusOn(page.getByRole('heading', { name: 'Payment complete' }));
    await press(button('Done'));
    await focusOn(page.getByText('You can close this page'));
  });

  it('stays on the pressed button during a request', { tags: 'thorough' }, async () => {
    await open('paperless');
    await page.route('**/api/paperless', () => undefined);
    await press(button('Go paperless'));
    await focusOn(button('One moment…'));
    await open('autopay');
    await page.route('**/api/methods', () => undefined);
    await fillCard(page);
    await page.getByRole('checkbox', { name: /I agree/ }).check();
    await tabTo(page.getByLabel('ZIP code'));
    await page.keyboard.press('Enter');
    await focusOn(button('One moment…'));
    await hasFocusedElement();
  });
});

describe('a management page', () => {
  it('cannot be finished while an action is running', { tags: ['thorough'] }, async () => {
    const sessionId = await open('paperless');
    const respond = await holdResponses(page, '**/api/paperless');
    await press(button('Go paperless'));
    await button('One moment…').waitFor();
    await press(button('Done'));
    expect(await button('Done').getAttribute('aria-disabled')).toBe('true');
    respond();
    await page.getByRole('status').filter({ hasText: 'Paperless billing is now on' }).waitFor();
    const { sessions } = await service.control.state();
    expect(sessions.find(({ id }) => id === sessionId)?.status).toBe('Open');
    await press(button('Done'));
    await focusOn(page.getByRole('heading', { name: 'All set' }));
  });

  it.each([
    ['twice before the page rerenders', (yes: Locator) => yes.evaluate(pressTwice)],
    ['by a double click', (yes: Locator) => yes.dblclick({ noWaitAfter: true })],
  ])('runs and reports an action once when pressed %s', { tags: 'thorough' }, async (_, pressed) => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    await open('wallet', ClientUser);
    let requests = 0;
    await page.route('**/api/methods/**', (route) => {
      requests += 1;
      return route.continue();
    });
    await press(button('Manage Visa ending in 4242'));
    await press(button('Delete Visa ending in 4242'));
    await pressed(button('Yes, delete'));
    await page.getByRole('status').filter({ hasText: 'was deleted' }).waitFor();
    await press(button('Done'));
    await focusOn(page.getByRole('heading', { name: 'All set' }));
    expect(requests).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it(
    'offers Done next to an open form only after a saved change, and without unsaved input',
    { tags: 'thorough' },
    async () => {
      await open('notifications');
      await button('Save preferences').waitFor();
      expect(await button('Done').count()).toBe(0);
      const first = page.getByRole('checkbox', { name: 'Email' }).first();
      await first.uncheck();
      await press(button('Save preferences'));
      await button('Done').waitFor();
      await first.check();
      await button('Done').waitFor({ state: 'detached' });
      await first.uncheck();
      await press(button('Done'));
      await focusOn(page.getByRole('heading', { name: 'All set' }));
      await page.getByText('Your changes are saved.').waitFor();
    },
  );

  it(
    'R-57 offers nothing that could drop unsaved input while a form is open',
    { tags: ['thorough'] },
    async () => {
      const ClientUser = someCustomer();
      await save(service, ClientUser, CARD);
      await save(service, ClientUser, BANK);
      await open('wallet', ClientUser);
      const others = page.getByRole('button', { name: /^(Done|Add a payment method|Manage .*)$/ });
      expect(await others.count()).toBe(4);
      const visa = button('Manage Visa ending in 4242');
      await press(visa);
      await press(button('Rename Visa ending in 4242'));
      await focusOn(page.getByLabel('Nickname for this payment method'));
      expect(await others.count()).toBe(0);
      await press(button('Cancel'));
      await focusOn(visa);
      await press(button('Add a payment method'));
      await page.getByLabel('Card number').waitFor();
      expect(await others.count()).toBe(0);
      await press(button('Cancel'));
      await focusOn(button('Add a payment method'));
      expect(await others.count()).toBe(4);
    },
  );

  it('R-57 replaces its own actions with the answers to a question', { tags: 'thorough' }, async () => {
    const ClientUser = someCustomer();
    const methodId = await save(service, ClientUser, CARD);
    const ClientAccount = someAccount();
    const account = { ClientUser, SyncAccount: true, ClientAccount };
    await ask(await service.create('autopay', account), 'autopay/enroll', { methodId });
    await open('autopay', ClientUser, ClientAccount);
    const own = page.getByRole('button', { name: /^(Done|Change payment method|Turn off AutoPay)$/ });
    expect(await own.count()).toBe(3);
    await press(button('Turn off AutoPay'));
    await button('Keep AutoPay').waitFor();
    expect(await own.count()).toBe(0);
    await press(button('Keep AutoPay'));
    await press(button('Change payment method'));
    await button('Use this payment method').waitFor();
    expect(await own.count()).toBe(0);
    await press(button('Cancel'));
    await press(button('Done'));
    await focusOn(page.getByRole('heading', { name: 'All set' }));
  });

  it(
    'does not claim a change, or offer to go back, after a session without one',
    { tags: ['thorough'] },
    async () => {
      await open('paperless');
      await press(button('Done'));
      await focusOn(page.getByRole('heading', { name: 'All set' }));
      await page.getByText('You can close this page.').waitFor();
      expect(await page.getByText(/change/i).count()).toBe(0);
      expect(await page.getByRole('button').count()).toBe(0);
    },
  );

  it('shows the spinner only on the pressed button', { tags: 'thorough' }, async () => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    await save(service, ClientUser, BANK);
    await save(service, ClientUser, { ...CARD, cardNumber: '5555555555554444' });
    await open('wallet', ClientUser);
    await page.route('**/api/methods/*/default', () => undefined);
    await button('Manage Mastercard ending in 4444').click();
    await button('Make default: Mastercard ending in 4444').click();
    await expect.poll(() => page.locator('.spinner').count()).toBe(1);
  });
});

it(
  'refuses a card that expires before the scheduled day, before sending it',
  { tags: ['thorough'] },
  async () => {
    const ClientUser = someCustomer();
    const { now } = (await ask(await service.create('wallet', { ClientUser }), 'session')) as { now: string };
    await save(service, ClientUser, { ...CARD, expiry: `${now.slice(5, 7)}/${now.slice(2, 4)}` });
    await open('schedule-payment', ClientUser);
    let sent = 0;
    page.on('request', (request) => (sent += request.url().endsWith('/api/schedule') ? 1 : 0));
    const last = (await page.getByLabel('Payment date').getAttribute('max')) ?? '';
    await page.getByLabel('Payment date').fill(last);
    await page.getByRole('radio', { name: 'Visa ending in 4242' }).check();
    await button(/^Schedule \$/).click();
    await page.getByText('expires before that day').waitFor();
    expect(sent).toBe(0);
  },
);

describe('an error of the service, in Spanish', () => {
  let spanish: Page;
  beforeAll(async () => {
    spanish = await openTab(browser, { locale: 'es-US' });
  });
  const pressed = (name: string | RegExp) => spanish.getByRole('button', { name }).click();
  const shown = (words: string) => spanish.getByText(words).first().waitFor();
  const withCard = async (): Promise<{ ClientUser: Customer; methodId: string }> => {
    const ClientUser = someCustomer();
    return { ClientUser, methodId: await save(service, ClientUser, CARD) };
  };
  const account = () => ({ SyncAccount: true, ClientAccount: someAccount() });

  it('explains that the processor rejects a card', { tags: ['thorough'] }, async () => {
    await visit(spanish, (await service.create('payment')).sessionUrl);
    await spanish.getByLabel('Número de tarjeta').fill('4000 0566 5566 5556');
    await spanish.getByLabel('Vencimiento').fill('12/34');
    await spanish.getByLabel('Código de seguridad').fill('123');
    await spanish.getByLabel('Nombre en la tarjeta').fill('Dana\tReyes');
    await spanish.getByLabel('Código postal (ZIP)').fill('04101');
    await pressed(/^Pagar/);
    await shown('No se aceptó este dato');
  });

  it('explains that a method was removed or is used elsewhere', { tags: 'thorough' }, async () => {
    const { ClientUser, methodId } = await withCard();
    const wallet = await service.create('wallet', { ClientUser });
    const autopay = await service.create('autopay', { ClientUser, ...account() });
    await visit(spanish, autopay.sessionUrl);
    await ask(wallet, `methods/${methodId}/remove`, {});
    await spanish.getByRole('radio', { name: 'Visa terminada en 4242' }).check();
    await spanish.getByRole('checkbox').check();
    await pressed('Activar el pago automático');
    await shown('Este método de pago se eliminó');

    const used = await save(service, ClientUser, CARD);
    await visit(spanish, wallet.sessionUrl);
    await ask(autopay, 'autopay/enroll', { methodId: used });
    await pressed('Administrar Visa terminada en 4242');
    await pressed('Eliminar Visa terminada en 4242');
    await pressed('Sí, eliminar');
    await shown('El pago automático usa este método');
  });

  it(
    'explains that AutoPay was turned on by another customer, or off elsewhere',
    { tags: 'thorough' },
    async () => {
      const mine = await withCard();
      const theirs = await withCard();
      const of = account();
      const [own, other] = await Promise.all([
        service.create('autopay', { ClientUser: mine.ClientUser, ...of }),
        service.create('autopay', { ClientUser: theirs.ClientUser, ...of }),
      ]);
      await ask(own, 'autopay/enroll', { methodId: mine.methodId });
      await visit(spanish, own.sessionUrl);
      await ask(own, 'autopay/unenroll', {});
      await pressed('Cambiar método de pago');
      await spanish.getByRole('radio', { name: 'Visa terminada en 4242' }).check();
      await pressed('Usar este método de pago');
      await shown('ya se había desactivado');
      await ask(other, 'autopay/enroll', { methodId: theirs.methodId });
      await spanish.getByRole('radio', { name: 'Visa terminada en 4242' }).check();
      await spanish.getByRole('checkbox').check();
      await pressed('Activar el pago automático');
      await shown('Otro cliente paga esta cuenta');

      await ask(other, 'autopay/unenroll', {});
      await ask(own, 'autopay/enroll', { methodId: mine.methodId });
      await visit(spanish, own.sessionUrl);
      await ask(own, 'autopay/unenroll', {});
      await ask(other, 'autopay/enroll', { methodId: theirs.methodId });
      await pressed('Desactivar el pago automático');
      await pressed('Sí, desactivar');
      await shown('Otro cliente paga esta cuenta');
      expect(await spanish.getByText('Visa terminada en 4242').count()).toBe(0);
    },
  );
});

describe('a session', () => {
  it('is shown again after Back from another page', { tags: 'thorough' }, async () => {
    await open('payment');
    await page.goto('about:blank');
    await page.goBack();
    await button('Pay $12.34').waitFor();
  });

  it(
    'says that the payer is offline during a payment, and pays once back online',
    { tags: ['thorough'] },
    async () => {
      const sessionId = await open('payment');
      await fillCard(page);
      await page.context().setOffline(true);
      await press(button('Pay $12.34'));
      await focusOn(page.getByRole('heading', { name: 'Checking your payment' }));
      await page.getByRole('status').filter({ hasText: 'still can’t connect' }).waitFor();
      await page.context().setOffline(false);
      await focusOn(page.getByRole('alert').filter({ hasText: 'didn’t reach us' }));
      await press(button('Pay $12.34'));
      await focusOn(page.getByRole('heading', { name: 'Payment complete' }));
      const { payments } = await service.control.state();
      expect(payments.filter((payment) => payment.sessionId === sessionId)).toHaveLength(1);
    },
  );

  it(
    'says that an action could not be sent, keeps the form, and works again online',
    { tags: 'thorough' },
    async () => {
      await open('notifications');
      await page.getByRole('group', { name: 'New bills' }).getByRole('checkbox', { name: 'Email' }).uncheck();
      await page.context().setOffline(true);
      await press(button('Save preferences'));
      await focusOn(page.getByRole('alert').filter({ hasText: 'safe to try again' }));
      await page.context().setOffline(false);
      await press(button('Save preferences'));
      await focusOn(page.getByRole('status').filter({ hasText: 'preferences are saved' }));
    },
  );

  it('announces the total when the charges change', { tags: ['thorough'] }, async () => {
    const session = await service.create('payment', {
      Charges: ['A', 'B'].map((Name) => ({ Amount: 100, ClientAccount: { AccountNumber: Name, Name } })),
    });
    await visit(page, session.sessionUrl);
    await page.getByRole('checkbox', { name: 'B' }).uncheck();
    await page.getByRole('status').filter({ hasText: 'Total: $1.00' }).waitFor();
  });
});

it('shows the problem with a choice next to its field', { tags: ['thorough'] }, async () => {
  const session = await service.create('payment', {
    Charges: ['A', 'B'].map((Name) => ({ Amount: 100, ClientAccount: { AccountNumber: Name, Name } })),
  });
  await visit(page, session.sessionUrl);
  for (const name of ['A', 'B']) await page.getByRole('checkbox', { name }).uncheck();
  await fillCard(page);
  await button('Pay').click();
  await page.getByRole('alert').waitFor();
  const described = await description(page.getByRole('checkbox', { name: 'A' }));
  expect(described).toContain('Choose at least one account');
});

it('R-33 describes accounts with the same name by number and amount', { tags: 'thorough' }, async () => {
  const adjustable = await startService({ businessUnit: { allowAmountAdjustment: true } });
  try {
    for (const on of [service, adjustable]) {
      const session = await on.create('payment', {
        Charges: ['H-1', 'H-2'].map((AccountNumber, place) => ({
          Amount: 1000 + place,
          ClientAccount: { AccountNumber, Name: 'Dana Reyes' },
        })),
      });
      await visit(page, session.sessionUrl);
      const second = page.getByRole('checkbox', { name: 'Dana Reyes' }).nth(1);
      const described = [second];
      if (on === adjustable) described.push(page.getByLabel('Amount for Dana Reyes').nth(1));
      for (const target of described) {
        const words = await description(target);
        expect(words).toContain('Account H-2');
        expect(words).toContain('$10.01');
        expect(words).not.toContain('(no');
      }
    }
  } finally {
    await adjustable.stop();
  }
});

it('R-51 loads the texts about the remaining time before they are needed', { tags: 'thorough' }, async () => {
  await open('payment');
  await page.getByRole('button', { name: /^Pay/ }).waitFor();
  // Some screen readers don't announce a live region that is added together with its text.
  expect(await page.locator('header [role=status]').innerText()).toBe('');
});

describe('on a service whose clock the tests move', () => {
  let later: Service;
  beforeAll(async () => {
    later = await startService();
  });
  afterAll(() => later?.stop());

  it('shows an expired saved card as expired and disabled', { tags: 'thorough' }, async () => {
    const { ClientUser, expiry } = await expiredCard(later);
    const account = { SyncAccount: true, ClientAccount: someAccount() };
    for (const [flow, body] of [
      ['payment', { ClientUser }],
      ['autopay', { ClientUser, ...account }],
      ['schedule-payment', { ClientUser, ...account }],
    ] as const) {
      await visit(page, (await later.create(flow, body)).sessionUrl);
      const card = page.getByRole('radio', { name: 'Visa ending in 4242' });
      expect(await card.isDisabled(), flow).toBe(true);
      expect(await card.ariaSnapshot()).toContain('disabled');
      await page.getByText(`Expired ${expiry}`).waitFor();
      await tabTo(page.getByRole('radio', { name: 'Bank account ending in 6789' }));
      // Arrow keys skip it.
      await page.keyboard.press('ArrowUp');
      await focusOn(page.getByRole('radio', { name: 'New bank account' }));
    }
    await visit(page, (await later.create('wallet', { ClientUser })).sessionUrl);
    await page.getByText('Expired', { exact: true }).waitFor();
  });

  it('R-51 that expires with a half-filled form is replaced by a message', { tags: 'thorough' }, async () => {
    const ClientUser = someCustomer();
    const session = await later.create('wallet', { ClientUser });
    await visit(page, session.sessionUrl);
    await press(button('Add a payment method'));
    await fillCard(page);
    await later.control.advance('61m');
    await press(button('Save payment method'));
    await focusOn(page.getByRole('heading', { name: 'This session has expired' }));
    const { paymentMethods } = await later.control.state();
    expect(paymentMethods.map(({ EmailAddress }) => EmailAddress)).not.toContain(ClientUser.EmailAddress);
  });
});
