/** Parts of the fields that load later: countries, bank accounts, validation of input. */
import { tidyExpiry } from '../format/read-expiry.js';
import { BankFields } from './bank-fields.js';
import { CountryField } from './country-field.js';

export const sourceRest = { BankFields, CountryField, tidyExpiry };
export type SourceRest = typeof sourceRest;
