/** Completes each of the seven flows with the keyboard only, and checks the stored state. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUSINESS_UNIT, collectErrors, launch, startService, type Service } from '../harness/index.js';
import { focusOn, press, tabTo, typeBank, typeCard, typeInto } from './keyboard.js';

let browser: Browser;
let service: Service;
/** Shared by all tests, because opening a browser page is slow. */
let page: Page;
let errors: string[];

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({
      businessUnit: {
        allowAmountAdjustment: true,
        paymentFields: [
          { key: 'InvoiceNumber', label: 'Invoice number', required: true },
          { key: 'Memo', label: 'Memo', required: false },
        ],
      },
    }),
  ]);
  page = await browser.newPage();
  errors = collectErrors(page);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

afterEach(() => expect(errors).toEqual([]));

async function open(sessionUrl: string): Promise<void> {
  await page.goto(sessionUrl);
  await page.locator('#page .flow').waitFor();
}

const heading = (name: string) => page.getByRole('heading', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** A new customer per test. */
let customers = 0;
function customer(): { EmailAddress: string; FirstName: string; LastName: string } {
  return { EmailAddress: `payer${++customers}@example.com`, FirstName: 'Dana', LastName: 'Reyes' };
}

describe('payment', () => {
  it('R-33 R-34 pays an accountless session by card', async () => {
    const session = await service.create('payment', {
      Charges: [{ Amount: 1234, Description: 'Water, November' }],
      PaymentFields: { InvoiceNumber: 'INV-1' },
    });
    await open(session.sessionUrl);
    await typeCard(page);
    await page.keyboard.press('Enter');
    await heading('Payment complete').waitFor();
    await expect.poll(() => page.getByText('Visa ending in 4242').isVisible()).toBe(true);
    await press(button('Done'));
    await page.getByText('You can close this page').waitFor();

    const { payments, sessions } = await service.control.state();
    expect(payments.filter(({ sessionId }) => sessionId === session.sessionId)).toEqual([
      {
        sessionId: session.sessionId,
        amount: 1234,
        method: 'Credit Card',
        status: 'succeeded',
        last4: '4242',
      },
    ]);
    expect(sessions.find(({ id }) => id === session.sessionId)?.status).toBe('Succeeded');
  });

  it('R-28 R-44 pays by bank account, which is pending until it settles', async () => {
    const session = await service.create('payment', { PaymentFields: { InvoiceNumber: 'INV-2' } });
    await open(session.sessionUrl);
    await typeBank(page);
    await press(button('Pay $12.34'));
    await heading('Payment submitted').waitFor();
    const { payments } = await service.control.state();
    expect(payments.find(({ sessionId }) => sessionId === session.sessionId)).toMatchObject({
      method: 'ACH',
      status: 'pending',
      last4: '6789',
    });
  });

  it('R-73 shows the authorization of a bank payment again if its terms have changed, and then pays', async () => {
    const { sessionUrl } = await service.create('payment', { PaymentFields: { InvoiceNumber: 'INV-3' } });
    // As if the page had been opened when the business had another name.
    await page.route(
      '**/api/session',
      async (route) => {
        const response = await route.fetch();
        const body = await response.text();
        await route.fulfill({ response, body: body.replaceAll('Harborlight Water', 'Harborlight Sewer') });
      },
      { times: 1 },
    );
    await open(sessionUrl);
    await typeBank(page);
    const authorization = page.getByText(/^By selecting “Pay,” I authorize/);
    expect(await authorization.innerText()).toContain('Harborlight Sewer');
    await press(button('Pay $12.34'));
    await page.getByRole('alert').filter({ hasText: 'Read them again' }).waitFor();
    expect(errors.splice(0)).toEqual([expect.stringContaining('400')]);
    await focusOn(authorization);
    const read = await authorization.innerText();
    expect(read).toContain('Harborlight Water');
    await press(button('Pay $12.34'));
    await heading('Payment submitted').waitFor();
    const { authorizations = [] } = await service.control.state();
    expect(authorizations.map(({ text }) => text)).toContain(read);
  });

  it('R-29 R-33 R-59 excludes an account, changes an amount and fills in a configured field', async () => {
    const account = (AccountNumber: string, Balance: number) => ({
      AccountNumber,
      Name: `House ${AccountNumber}`,
      Balance,
    });
    const session = await service.create('payment', {
      Charges: [
        { Amount: 5000, ClientAccount: account('A-1', 9000) },
        { Amount: 2500, ClientAccount: account('A-2', 2500) },
        { Amount: 300, Description: 'Paper bill' },
      ],
    });
    await open(session.sessionUrl);
    const first = page.getByLabel('Amount for House A-1');
    await tabTo(first);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('61.5');
    await tabTo(page.getByRole('checkbox', { name: 'House A-2' }));
    await page.keyboard.press('Space');
    await typeInto(page.getByLabel('Invoice number'), 'INV-77');
    await page.getByRole('textbox', { name: 'Memo Optional', exact: true }).waitFor();
    await typeCard(page);
    await press(button('Pay $64.50'));
    await heading('Payment complete').waitFor();
    const { payments } = await service.control.state();
    expect(payments.find(({ sessionId }) => sessionId === session.sessionId)?.amount).toBe(6450);
  });

  it("D-8 R-71 saves a customer's method and pays with it in one press next time", async () => {
    const ClientUser = customer();
    const body = { ClientUser, PaymentFields: { InvoiceNumber: 'INV-3' } };
    await open((await service.create('payment', body)).sessionUrl);
    await typeCard(page);
    await tabTo(page.getByRole('checkbox', { name: 'Save this payment method' }));
    await page.keyboard.press('Space');
    await press(button('Pay $12.34'));
    await heading('Payment complete').waitFor();

    const again = await service.create('payment', body);
    await open(again.sessionUrl);
    expect(await page.getByRole('radio').first().isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: 'Visa ending in 4242' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Card number').count()).toBe(0);
    await press(button('Pay $12.34'));
    await heading('Payment complete').waitFor();
    const state = await service.control.state();
    expect(state.payments.filter(({ sessionId }) => sessionId === again.sessionId)).toMatchObject([
      { status: 'succeeded', last4: '4242' },
    ]);
    expect(
      state.paymentMethods.filter(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress),
    ).toHaveLength(1);
  });
});

describe('management', () => {
  const account = (AccountNumber: string) => ({
    SyncAccount: true,
    ClientAccount: { AccountNumber, Name: 'Dana Reyes', Balance: 8420 },
  });
  const finish = async (sessionId: string): Promise<void> => {
    await press(button('Done'));
    await heading('All set').waitFor();
    const { sessions } = await service.control.state();
    expect(sessions.find(({ id }) => id === sessionId)?.status).toBe('Completed');
  };

  it('R-57 R-73 AutoPay: shows the maximum charge, enrolls with a card, changes to a bank account, unenrolls', async () => {
    const ClientUser = customer();
    const session = await service.create('autopay', { ClientUser, ...account('AP-1') });
    const enrolled = async () =>
      (await service.control.state()).autopay.filter(({ AccountNumber }) => AccountNumber === 'AP-1');
    await open(session.sessionUrl);
    const limit = 'Each bill is paid in full, whatever the amount. There is no maximum.';
    const terms = page.getByText(/^I authorize .* every bill/);
    expect(await terms.innerText()).toContain(limit);
    await typeCard(page);
    await tabTo(page.getByRole('checkbox', { name: 'I agree to the AutoPay terms' }));
    await page.keyboard.press('Space');
    await press(button('Turn on AutoPay'));
    await page.getByRole('status').filter({ hasText: 'AutoPay is now on' }).waitFor();
    expect(await enrolled()).toEqual([
      { AccountNumber: 'AP-1', SubAccountNumber: '', EmailAddress: ClientUser.EmailAddress },
    ]);

    await page.getByText(limit, { exact: true }).waitFor();

    await press(button('Change payment method'));
    await typeBank(page);
    await press(button('Use this payment method'));
    await page.getByRole('status').filter({ hasText: 'now uses this payment method' }).waitFor();
    const authorizations = (await service.control.state()).authorizations?.map(({ text }) => text);
    expect(authorizations).toContainEqual(expect.stringContaining(limit));
    await page.getByText('Bank account ending in 6789').waitFor();

    await press(button('Turn off AutoPay'));
    await press(button('Yes, turn it off'));
    await page.getByRole('status').filter({ hasText: 'AutoPay is now off' }).waitFor();
    expect(await enrolled()).toEqual([]);
    await finish(session.sessionId);
  });

  it(
    'R-73 shows terms that have changed in place, keeps what was typed, and asks to agree again',
    { tags: 'thorough' },
    async () => {
      const ClientUser = customer();
      const session = await service.create('autopay', { ClientUser, ...account('AP-2') });
      await open(session.sessionUrl);
      await typeBank(page);
      const agree = page.getByRole('checkbox', { name: 'I agree to the AutoPay terms' });
      await agree.check();
      await service.create('paperless', {
        ClientUser,
        SyncAccount: true,
        ClientAccount: { AccountNumber: 'AP-2', Name: 'Dana King' },
      });
      await press(button('Turn on AutoPay'));
      await page.getByRole('alert').filter({ hasText: 'Read them again' }).waitFor();
      expect(errors.splice(0)).toEqual([expect.stringContaining('400')]);
      const terms = page.getByText(/^I authorize .*Dana King/);
      await focusOn(terms);
      expect(await agree.isChecked()).toBe(false);
      await agree.check();
      const read = await terms.innerText();
      await press(button('Turn on AutoPay'));
      await page.getByRole('status').filter({ hasText: 'AutoPay is now on' }).waitFor();
      const { authorizations = [], paymentMethods } = await service.control.state();
      expect(authorizations.map(({ text }) => text)).toContain(read);
      expect(
        paymentMethods.filter(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress),
      ).toHaveLength(1);
    },
  );

  it('R-57 wallet: adds a card and a bank account, chooses the default, deletes one', async () => {
    const ClientUser = customer();
    const session = await service.create('wallet', { ClientUser });
    const saved = async () =>
      (await service.control.state()).paymentMethods
        .filter(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress)
        .map(({ last4 }) => last4)
        .sort();
    await open(session.sessionUrl);
    await press(button('Add a payment method'));
    await typeCard(page);
    await press(button('Save payment method'));
    await page.getByRole('status').filter({ hasText: 'Visa ending in 4242 is saved' }).waitFor();
    await press(button('Add a payment method'));
    await typeBank(page);
    await press(button('Save payment method'));
    await page.getByRole('status').filter({ hasText: '6789 is saved' }).waitFor();
    expect(await saved()).toEqual(['4242', '6789']);

    await press(button('Manage Bank account ending in 6789'));
    await press(button('Make default: Bank account ending in 6789'));
    await page.getByRole('status').filter({ hasText: 'is now the default' }).waitFor();
    await press(button('Manage Visa ending in 4242'));
    await press(button('Edit expiry of Visa ending in 4242'));
    await page.getByLabel('Expiry date').fill('01/20');
    await press(button('Save expiry date'));
    await page.getByText('This card has expired.').waitFor();
    await page.getByLabel('Expiry date').fill('01/36');
    await press(button('Save expiry date'));
    await page.getByRole('status').filter({ hasText: 'Expiry date updated' }).waitFor();
    await page.getByText('Expires 01/36').waitFor();
    await press(button('Manage Visa ending in 4242'));
    await press(button('Delete Visa ending in 4242'));
    await press(button('Yes, delete'));
    await page.getByRole('status').filter({ hasText: 'was deleted' }).waitFor();
    expect(await saved()).toEqual(['6789']);
    await finish(session.sessionId);
  });

  it('R-57 paperless: enrolls and unenrolls', async () => {
    const ClientUser = customer();
    const session = await service.create('paperless', { ClientUser, ...account('PL-1') });
    const enrolled = async () =>
      (await service.control.state()).paperless.filter(({ AccountNumber }) => AccountNumber === 'PL-1');
    await open(session.sessionUrl);
    await page.getByText(ClientUser.EmailAddress).waitFor();
    await press(button('Go paperless'));
    await page.getByRole('status').filter({ hasText: 'is now on' }).waitFor();
    expect(await enrolled()).toMatchObject([{ EmailAddress: ClientUser.EmailAddress }]);
    await press(button('Go back to paper bills'));
    await press(button('Yes, send paper bills'));
    await page.getByRole('status').filter({ hasText: 'is now off' }).waitFor();
    expect(await enrolled()).toEqual([]);
    await finish(session.sessionId);
  });

  it('R-57 schedules a payment, and cancels it in the list of scheduled payments', async () => {
    const ClientUser = customer();
    const session = await service.create('schedule-payment', { ClientUser, ...account('SP-1') });
    const scheduled = async () =>
      (await service.control.state()).scheduledPayments.filter(
        ({ AccountNumber }) => AccountNumber === 'SP-1',
      );
    await open(session.sessionUrl);
    const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    await tabTo(page.getByLabel('Amount'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('25');
    await typeInto(page.getByLabel('Payment date'), `${day.slice(5, 7)}${day.slice(8)}${day.slice(0, 4)}`);
    await typeCard(page);
    await press(button('Schedule $25.00'));
    await page.getByRole('status').filter({ hasText: 'Payment scheduled' }).waitFor();
    expect(await scheduled()).toMatchObject([{ amount: 2500, date: day, status: 'scheduled' }]);
    await finish(session.sessionId);

    const management = await service.create('scheduled-payments', { ClientUser, ...account('SP-1') });
    await open(management.sessionUrl);
    await press(page.getByRole('button', { name: /^Cancel payment of \$25\.00/ }));
    await press(button('Yes, cancel it'));
    await page.getByRole('status').filter({ hasText: 'was canceled' }).waitFor();
    expect(await scheduled()).toMatchObject([{ status: 'canceled' }]);
    await finish(management.sessionId);
  });

  it('R-57 notifications: requires a phone number for text messages, and saves the choice', async () => {
    const ClientUser = customer();
    const session = await service.create('notifications', { ClientUser });
    await open(session.sessionUrl);
    const reminders = page.getByRole('group', { name: 'Payment reminders' });
    await tabTo(reminders.getByRole('checkbox', { name: 'Text message' }));
    await page.keyboard.press('Space');
    await press(button('Save preferences'));
    await page.getByText('Enter a phone number').waitFor();
    const phone = page.getByLabel('Mobile phone number');
    // As if pasted or autofilled: a Danish number has ten digits, too.
    await phone.fill('+45 20 12 34 56');
    expect(await phone.inputValue()).toBe('+45 20 12 34 56');
    await phone.fill('');
    await focusOn(phone);
    await page.keyboard.type('2075550123');
    expect(await phone.inputValue()).toBe('(207) 555-0123');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'preferences are saved' }).waitFor();
    const { notifications } = await service.control.state(BUSINESS_UNIT);
    expect(notifications.find(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress)).toMatchObject({
      phoneNumber: '+12075550123',
    });
    await finish(session.sessionId);
  });
});
