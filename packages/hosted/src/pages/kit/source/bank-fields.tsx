import { TextField } from '../design/field.js';
import type { Form } from '../design/form.js';
import { digitsOf } from '../format/masked.js';
import { rest } from '../text/index.js';

/** The fields of a new bank account. */
export function BankFields({ form, byAgent }: { form: Form; byAgent: boolean | undefined }) {
  const account = digitsOf(form.values['accountNumber'] ?? '');
  return (
    <div class="fields">
      {/* Where to find the two numbers on a check. */}
      <div class="check-picture" aria-hidden="true">
        <span>
          <b>123456789</b> {rest.method.routing}
        </span>
        <span>
          <b>0001234567</b> {rest.method.accountNumber}
        </span>
      </div>
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
