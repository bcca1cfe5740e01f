/** What fields of a new card or bank account need besides: of a country, of a bank account, of what was typed. */
import { tidyExpiry } from '../format/read-expiry.js';
import { BankFields } from './bank-fields.js';
import { CountryField } from './country-field.js';

export const sourceRest = { BankFields, CountryField, tidyExpiry };
export type SourceRest = typeof sourceRest;
