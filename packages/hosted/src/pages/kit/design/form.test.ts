import { describe, expect, it } from 'vitest';
import { fieldId, formReducer, initialState } from './form.js';

const empty = initialState({ zip: '' });

it('R-29 gives fields distinct ids even if their keys differ only in punctuation or script', () => {
  const keys = ['Policy No', 'Policy-No', 'Policy_No', 'Policy.No', 'Policy_32_No', '发票', '账号', '\ud800'];
  const ids = keys.map((key) => fieldId(`fields.${key}`));
  expect(new Set(ids).size).toBe(keys.length);
  for (const id of ids) expect(id).toMatch(/^[\w-]+$/);
});

describe('a form', () => {
  it('shows no error for a field that was only visited', () => {
    expect(formReducer(empty, { type: 'leave', field: 'zip', problems: { zip: 'Missing' } }).shown).toEqual(
      {},
    );
  });

  it('shows a problem when the field loses focus, not while the payer types', () => {
    const typed = formReducer(empty, { type: 'edit', field: 'zip', value: '04', problems: { zip: 'Short' } });
    expect(typed.shown).toEqual({});
    expect(formReducer(typed, { type: 'leave', field: 'zip', problems: { zip: 'Short' } }).shown).toEqual({
      zip: 'Short',
    });
  });

  it('removes a problem as soon as it is fixed', () => {
    const refused = formReducer(empty, { type: 'refuse', problems: { zip: 'Missing', name: 'Missing' } });
    const mended = formReducer(refused, { type: 'edit', field: 'zip', value: '04101', problems: {} });
    expect(mended.shown).toEqual({ name: 'Missing' });
  });

  it('drops problems of fields that were removed, and keeps those that the service found', () => {
    const before = { card: 'Missing', zip: 'Five digits' };
    const refused = formReducer(empty, { type: 'refuse', problems: { ...before, name: 'Blocked' } });
    const chosen = formReducer(refused, {
      type: 'edit',
      field: 'country',
      value: 'CA',
      problems: { zip: 'As it is written', other: 'Missing' },
      before,
    });
    expect(chosen.shown).toEqual({ zip: 'As it is written', name: 'Blocked' });
  });

  it('lists problems in the order of the form', () => {
    const problems = { card: 'Wrong', zip: 'Missing' };
    const refused = formReducer({ ...empty, values: { card: '4', zip: '' } }, { type: 'refuse', problems });
    const left = formReducer(refused, { type: 'leave', field: 'card', problems });
    expect(Object.keys(left.shown)).toEqual(['card', 'zip']);
  });

  it('keeps the line of a fixed problem and the number of invalid fields until the next submit', () => {
    const refused = formReducer(empty, { type: 'refuse', problems: { zip: 'Missing', name: 'Missing' } });
    const fixed = formReducer(refused, { type: 'edit', field: 'zip', value: '04101', problems: {} });
    expect(fixed).toMatchObject({ fixed: { zip: 'Missing' }, refusedFields: 2 });
    const again = formReducer(fixed, { type: 'refuse', problems: { name: 'Missing' } });
    expect(again).toMatchObject({ fixed: {}, refusedFields: 1 });
  });

  it('counts rejected submits', () => {
    const once = formReducer(empty, { type: 'refuse', problems: { zip: 'Missing' } });
    const twice = formReducer(once, { type: 'refuse', problems: { zip: 'Missing' } });
    expect([once.refusals, twice.refusals]).toEqual([1, 2]);
    expect(formReducer(twice, { type: 'accept' })).toMatchObject({ shown: {}, refusedFields: 0 });
  });
});
