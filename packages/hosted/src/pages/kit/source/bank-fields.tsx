import { ACCOUNT_TYPES, accountTypeOf } from '@shared/bank.js';
import { TextField } from '../design/field.js';
import type { Form } from '../design/form.js';
import { digitsOf } from '../format/masked.js';
import { t } from '../text/index.js';

/** The fields of a new bank account. */
export function BankFields({ form, byAgent }: { form: Form; byAgent: boolean | undefined }) {
  const account = digitsOf(form.values['accountNumber'] ?? '');
  const type = form.field('accountType');
  return (
    <div class="fields">
      <fieldset>
        <legend>{t.method.accountType}</legend>
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
              <span class="choice-text">{each === 'savings' ? t.method.savings : t.method.checking}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        {...form.field('holder')}
        label={t.method.holder}
        autoComplete={byAgent ? 'off' : 'name'}
        autoCapitalize="words"
      />
      <div class="pair wide">
        {/* Neither is truncated, because that could make it another account. */}
        <TextField
          {...form.field('routingNumber')}
          label={t.method.routing}
          hint={t.method.routingHint}
          format={(digits) => digits}
          inputMode="numeric"
          autoComplete="off"
        />
        <TextField
          {...form.field('accountNumber')}
          label={t.method.accountNumber}
          // No-break spaces keep the groups together, and in order on right-to-left pages.
          hint={
            account.length < 4 ? undefined : t.method.accountBack(account.replace(/\d{4}(?=\d)/g, '$&\u00a0'))
          }
          format={(digits) => digits}
          inputMode="numeric"
          autoComplete="off"
          enterKeyHint="go"
        />
      </div>
    </div>
  );
}
