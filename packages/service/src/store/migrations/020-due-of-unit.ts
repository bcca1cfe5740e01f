import type { Index } from './migration.js';

/** What is due of each business unit, so that no unit's backlog hides another's. */
export const dueOfUnitIndexes: readonly Index[] = [
  { name: 'attempts_due_of_unit', table: 'attempts', of: '(business_unit, due_at) where due_at is not null' },
  { name: 'refunds_due_of_unit', table: 'refunds', of: '(business_unit, due_at) where due_at is not null' },
];
