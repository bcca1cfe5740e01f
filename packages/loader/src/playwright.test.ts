// Tests `payWithTestCard` with fake fields. e2e/loader tests it with a real form.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { payWithTestCard, type PageLike } from './playwright.js';

type Scope = ReturnType<PageLike['frames']>[number];
type Field = ReturnType<Scope['getByLabel']>;

/** A frame with a form that reacts to Pay as configured. */
function form(behavior: { saved?: boolean; after?: 'paid' | 'declined' | 'refused' | 'nothing' } = {}) {
  const filled: Record<string, string> = {};
  const done: string[] = [];
  let isOpen = !behavior.saved;
  let hasPaid = false;
  const field = (more: Partial<Field> = {}): Field => {
    const made: Field = {
      first: () => made,
      fill: async () => {},
      press: async () => {},
      dispatchEvent: async () => {},
      check: async () => {},
      isVisible: async () => false,
      innerText: async () => '',
      ...more,
    };
    return made;
  };
  const scope: Scope = {
    getByLabel: (text) =>
      field({
        isVisible: async () => isOpen && text === 'Card number',
        fill: async (value) => {
          if (!isOpen) throw new Error('closed');
          filled[text] = value;
        },
      }),
    getByRole: (role, { name } = {}) => {
      if (role === 'radio' && name === 'New card')
        return field({
          isVisible: async () => behavior.saved === true,
          check: async () => {
            isOpen = true;
          },
        });
      if (
        role === 'button' &&
        name instanceof RegExp &&
        name.test('Pay $12.00') &&
        !name.test('AutoPay $12.00')
      )
        return field({
          press: async (key) => {
            done.push(key);
            hasPaid = true;
          },
        });
      if (role === 'button' && name === 'Done')
        return field({
          dispatchEvent: async (type) => {
            done.push(`Done ${type}`);
            throw new Error('The frame went with it.');
          },
        });
      if (role === 'heading' && name === 'Payment complete')
        return field({ isVisible: async () => hasPaid && behavior.after === 'paid' });
      if (role === 'alert')
        return field({
          isVisible: async () => hasPaid && ['declined', 'refused'].includes(behavior.after ?? ''),
          innerText: async () =>
            behavior.after === 'declined'
              ? 'Your payment was declined.'
              : 'There is a problem\nThe card expired',
        });
      return field();
    },
  };
  return { scope, filled, done };
}

/** Frames that are removed during a query. */
const GONE: Scope = {
  getByLabel: () => {
    throw new Error('unexpected query');
  },
  getByRole: () => ({ first: () => ({ isVisible: () => Promise.reject(new Error('gone')) }) }) as never,
};
const page = (frames: () => readonly Scope[]): PageLike & { waits: number[] } => {
  const waits: number[] = [];
  return {
    waits,
    frames,
    waitForTimeout: async (ms) => {
      waits.push(ms);
      vi.advanceTimersByTime(ms);
    },
  };
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('payWithTestCard', () => {
  it('fills in a successful card, presses Pay and Done', async () => {
    const { scope, filled, done } = form({ after: 'paid' });
    expect(await payWithTestCard(page(() => [GONE, scope]))).toBe('paid');
    expect(filled).toEqual({
      'Card number': '4242 4242 4242 4242',
      'Expiry date': '12/34',
      'Security code': '123',
      'Name on card': 'Dana Reyes',
      'ZIP code': '04101',
    });
    expect(done).toEqual(['Enter', 'Done click']);
  });

  it('fills in the given card, and leaves the form open after a decline', async () => {
    const { scope, filled, done } = form({ after: 'declined' });
    const card = {
      number: '4000 0000 0000 0002',
      expiry: '01/35',
      code: '999',
      name: 'Ada',
      zip: '10001',
    };
    expect(
      await payWithTestCard(
        page(() => [scope]),
        card,
      ),
    ).toBe('declined');
    expect(Object.values(filled)).toEqual([card.number, card.expiry, card.code, card.name, card.zip]);
    expect(done).toEqual(['Enter']);
  });

  it.each([
    ['alert', 'paid'],
    ['heading', 'declined'],
  ] as const)('does not mistake the %s of the surrounding page for the result', async (role, after) => {
    const around = form().scope;
    const nothing = around.getByRole('radio');
    around.getByLabel = () => nothing;
    around.getByRole = (wanted) => {
      const field: Field = { ...nothing, first: () => field, isVisible: async () => wanted === role };
      return field;
    };
    expect(await payWithTestCard(page(() => [around, form({ after }).scope]))).toBe(after);
  });

  it('rejects with the validation message of the form', async () => {
    const { scope } = form({ after: 'refused' });
    await expect(
      payWithTestCard(
        page(() => [scope]),
        { expiry: '01/20' },
      ),
    ).rejects.toThrow('payWithTestCard: the form says: There is a problem\nThe card expired');
  });

  it('chooses a new card if there are saved cards', async () => {
    const { scope } = form({ saved: true, after: 'paid' });
    expect(await payWithTestCard(page(() => [scope]))).toBe('paid');
  });

  it('waits for the form, polling ten times a second', async () => {
    const { scope } = form({ after: 'paid' });
    let polls = 0;
    const waiting = page(() => ((polls += 1) > 20 ? [scope] : []));
    expect(await payWithTestCard(waiting)).toBe('paid');
    expect(waiting.waits).toEqual(Array.from({ length: 20 }, () => 100));
  });

  it.each([
    ['no payment form', () => []],
    ['no result', () => [form({ after: 'nothing' }).scope]],
  ])('rejects after 30 s if there is %s, with a message', async (missing, frames) => {
    const all = frames();
    const from = Date.now();
    await expect(payWithTestCard(page(() => all))).rejects.toThrow(
      `payWithTestCard: ${missing} within 30 s.`,
    );
    expect(Date.now() - from).toBe(30_000);
  });
});
