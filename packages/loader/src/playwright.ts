// For merchants' browser tests against this project's service. Declares the parts of Playwright's types that it uses, so
// that it works with all Playwright packages.

interface Field {
  first(): Field;
  fill(value: string): Promise<void>;
  press(key: string): Promise<void>;
  dispatchEvent(type: string): Promise<void>;
  check(): Promise<void>;
  isVisible(): Promise<boolean>;
  innerText(): Promise<string>;
}
interface Scope {
  getByLabel(text: string): Field;
  getByRole(role: 'button' | 'heading' | 'alert' | 'radio', options?: { name?: string | RegExp }): Field;
}

/** The part of Playwright's `Page` that this module uses. */
export interface PageLike {
  frames(): readonly Scope[];
  waitForTimeout(ms: number): Promise<void>;
}

/** A card of the service's test processor. Omitted fields get valid values. */
export interface TestCard {
  /** Default `4242 4242 4242 4242`, which succeeds. `4000 0000 0000 0002` is declined. */
  number?: string;
  expiry?: string;
  code?: string;
  name?: string;
  zip?: string;
  /** How to answer the challenge of `4000 0000 0000 3220`. Default `approve`. */
  challenge?: 'approve' | 'decline';
}

const TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/**
 * Pays in the payment form that is open on a page, in a modal or inline, by its English labels: fills in the card,
 * presses Pay and, after a successful payment, Done. Resolves with the outcome. After `declined` the form is still
 * open. Rejects if no form or no result appears within 30 s, and with the form's message if the form refuses a value.
 *
 * @example
 * await page.getByRole('button', { name: 'Pay my bill' }).click();
 * expect(await payWithTestCard(page)).toBe('paid');
 * await expect(page).toHaveURL('/receipt');
 */
export async function payWithTestCard(page: PageLike, card: TestCard = {}): Promise<'paid' | 'declined'> {
  const form = await findForm(page);
  await fillIn(form, card);

  // Press a key instead of clicking: if the page scrolls to the button, Chromium may release the click at the old position.
  await form.getByRole('button', { name: /^Pay \$/ }).press('Enter');
  const outcome = await outcomeOf(page, form, card.challenge ?? 'approve');
  if (outcome === 'paid') {
    // Don't press a key, because the form moves the focus. The frame may be gone before this returns.
    const done = form.getByRole('button', { name: 'Done' });
    done.dispatchEvent('click').catch(() => {});
    return 'paid';
  }

  if (/declined/i.test(outcome.alert)) return 'declined';

  throw new Error(`payWithTestCard: the form says: ${outcome.alert}`);
}

const findForm = (page: PageLike): Promise<Scope> =>
  until(
    page,
    'no payment form',
    () => page.frames(),
    async (scope) => {
      const newCard = scope.getByRole('radio', { name: 'New card' }).first();
      // The form is closed if the payer has saved methods.
      if (await newCard.isVisible()) await newCard.check();
      return (await scope.getByLabel('Card number').isVisible()) && scope;
    },
  );

async function fillIn(form: Scope, card: TestCard): Promise<void> {
  const values = {
    'Card number': card.number ?? '4242 4242 4242 4242',
    'Expiry date': card.expiry ?? '12/34',
    'Security code': card.code ?? '123',
    'Name on card': card.name ?? 'Dana Reyes',
    'ZIP code': card.zip ?? '04101',
  };

  for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value);
}

/** Reads the form only: the page around it may have its own alerts and headings. */
const outcomeOf = (
  page: PageLike,
  form: Scope,
  challenge: 'approve' | 'decline',
): Promise<'paid' | { alert: string }> =>
  until(
    page,
    'no result',
    () => [form, ...page.frames()],
    async (scope) => {
      if (scope !== form) {
        if (await scope.getByRole('heading', { name: 'Test bank' }).isVisible())
          await scope
            .getByRole('button', { name: challenge === 'approve' ? 'Approve' : 'Decline' })
            .press('Enter');
        return false;
      }
      if (await scope.getByRole('heading', { name: 'Payment complete' }).isVisible()) return 'paid';

      const alert = scope.getByRole('alert', {}).first();
      return (await alert.isVisible()) && { alert: await alert.innerText() };
    },
  );

/** Polls the frames until `find` returns something. */
async function until<T>(
  page: PageLike,
  missing: string,
  frames: () => readonly Scope[],
  find: (scope: Scope) => Promise<T | false>,
): Promise<T> {
  for (const since = Date.now(); Date.now() - since < TIMEOUT_MS; await page.waitForTimeout(POLL_MS))
    for (const scope of frames()) {
      // The frame may be removed during the query.
      const found = await find(scope).catch(() => false as const);
      if (found) return found;
    }
  throw new Error(`payWithTestCard: ${missing} within ${TIMEOUT_MS / 1000} s.`);
}
