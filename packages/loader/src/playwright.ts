// For merchants' browser tests against this project's service. Of Playwright no more than the types, and those as far
// as they are needed: whichever of its packages a merchant has fits.

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

/** What is needed of Playwright's `Page`. */
export interface PageLike {
  frames(): readonly Scope[];
  waitForTimeout(ms: number): Promise<void>;
}

/** A card of the service's test processor; what is left out is filled with what it takes. */
export interface TestCard {
  /** Default `4242 4242 4242 4242`, which succeeds; `4000 0000 0000 0002` is declined. */
  number?: string;
  expiry?: string;
  code?: string;
  name?: string;
  zip?: string;
}

const PATIENCE_MS = 30_000;
const LOOK_MS = 100;

/**
 * Pays in the payment form that is open on a page, in a modal or inline, with its English labels: fills the card,
 * presses Pay and, when it is paid, Done. Resolves with what the form said; after `declined` the form is still there.
 * Rejects when no form is there, or no answer comes, within 30 s, and with the form's words where it does not take what
 * was filled in.
 *
 * @example
 * await page.getByRole('button', { name: 'Pay my bill' }).click();
 * expect(await payWithTestCard(page)).toBe('paid');
 * await expect(page).toHaveURL('/receipt');
 */
export async function payWithTestCard(page: PageLike, card: TestCard = {}): Promise<'paid' | 'declined'> {
  const {
    number = '4242 4242 4242 4242',
    expiry = '12/34',
    code = '123',
    name = 'Dana Reyes',
    zip = '04101',
  } = card;
  const form = await until(
    page,
    'no payment form',
    () => page.frames(),
    async (scope) => {
      const fresh = scope.getByRole('radio', { name: 'New card' }).first();
      // Beside saved methods the form is closed.
      if (await fresh.isVisible()) await fresh.check();
      return (await scope.getByLabel('Card number').isVisible()) && scope;
    },
  );
  const fields = { 'Card number': number, 'Expiry date': expiry, 'Security code': code };
  for (const [label, value] of Object.entries({ ...fields, 'Name on card': name, 'ZIP code': zip }))
    await form.getByLabel(label).fill(value);
  // By key: where the page scrolls to reach a button in a frame, Chromium at times places the press of a click by the
  // drawing after that and its release by the one before, beside the button.
  await form.getByRole('button', { name: /^Pay \$/ }).press('Enter');
  // The form alone: the page around it may have alerts and headings of its own, as Next's has.
  const said = await until(
    page,
    'no answer to the payment',
    () => [form],
    async (scope) => {
      if (await scope.getByRole('heading', { name: 'Payment complete' }).isVisible()) return 'paid';
      const alert = scope.getByRole('alert', {}).first();
      return (await alert.isVisible()) && { alert: await alert.innerText() };
    },
  );
  // No key either: the form takes the focus to what it says. The frame goes with it, at times before this is answered.
  if (said === 'paid') {
    form
      .getByRole('button', { name: 'Done' })
      .dispatchEvent('click')
      .catch(() => {});
    return 'paid';
  }
  if (/declined/i.test(said.alert)) return 'declined';
  throw new Error(`payWithTestCard: the form says: ${said.alert}`);
}

/** Asks each of these frames, until one has it. */
async function until<T>(
  page: PageLike,
  missing: string,
  frames: () => readonly Scope[],
  find: (scope: Scope) => Promise<T | false>,
): Promise<T> {
  for (const since = Date.now(); Date.now() - since < PATIENCE_MS; await page.waitForTimeout(LOOK_MS))
    for (const scope of frames()) {
      // A frame may go while it is asked.
      const found = await find(scope).catch(() => false as const);
      if (found) return found;
    }
  throw new Error(`payWithTestCard: ${missing} within ${PATIENCE_MS / 1000} s.`);
}
