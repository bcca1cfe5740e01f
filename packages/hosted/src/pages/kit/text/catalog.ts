/** The shape of every language's catalog: that of the English one. */
import type { after } from './en/after.js';
import type { manage } from './en/manage.js';
import type { payment } from './en/payment.js';
import type { problem } from './en/problem.js';
import type { rest } from './en/rest.js';
import type { shared } from './en/shared.js';

type Said<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { [K in keyof T]: Said<T[K]> };

export type SharedText = Said<typeof shared>;
export type RestText = Said<typeof rest>;
export type PaymentText = Said<typeof payment>;
export type AfterText = Said<typeof after>;
export type ProblemText = Said<typeof problem>;
export type ManageText = Said<typeof manage>;
