import { ACCOUNT_TYPES, accountTypeOf } from '../../../../../service/src/shared/bank.js';
import { TextField } from '../design/field.js';
import type { Form } from '../design/form.js';
import { digitsOf } from '../format/masked.js';
import { rest } from '../text/index.js';

/** The fields of a new bank account. */
export function BankFields({ form, byAgent }: { form: Form; byAgent: boolean | undefined }) {
  const account = digitsOf(form.values['accountNumber'] ?? '');
  const type = form.field('accountType');
  return (
    <div class="fields">
      <fieldset>
        <legend>{rest.method.accountType}</legend>
        <div class="choices" data-count="2">
          {ACCOUNT_TYPES.map((each) => (
            <label key={each} class="choice">
              <input
                type="radio"
                name="accountType"
                value={each}
                checked={(accountTypeOf(type.value) ?? 'checking') === each}
                onChange={() => type.onValue(each)}
              />
              <span class="choice-text">
                {each === 'savings' ? rest.method.savings : rest.method.checking}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        {...form.field('holder')}
        label={rest.method.holder}
        autoComplete={byAgent ? 'off' : 'name'}
        autoCapitalize="words"
      />
      <div class="pair wide">
        <TextField
          {...form.field('routingNumber')}
          label={rest.method.routing}
          hint={rest.method.routingHint}
          format={(digits) => digits.slice(0, 9)}
          inputMode="numeric"
          autoComplete="off"
        />
        <TextField
          {...form.field('accountNumber')}
          label={rest.method.accountNumber}
          hint={
            account.length < 4 ? undefined : rest.method.accountBack(account.replace(/\d{4}(?=\d)/g, '$& '))
          }
          format={(digits) => digits.slice(0, 17)}
          inputMode="numeric"
          autoComplete="off"
          enterKeyHint="go"
        />
      </div>
    </div>
  );
}
