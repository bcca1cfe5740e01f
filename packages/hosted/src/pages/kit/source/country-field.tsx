/** The country of a card. Shown if the business unit has more than one. */
import { ProblemLine } from '../design/field.js';
import type { Form } from '../design/form.js';
import { locale } from '../format/locale.js';
import { t } from '../text/index.js';

export interface CountryFieldProps {
  form: Form;
  /** In the merchant's order. */
  countries: readonly string[];
  byAgent: boolean | undefined;
}

export function CountryField({ form, countries, byAgent }: CountryFieldProps) {
  const { id, value, problem, fixed, onValue } = form.field('country');
  const names = new Intl.DisplayNames(locale(), { type: 'region' });
  return (
    <div class={`field${problem === undefined ? '' : ' has-problem'}`}>
      <label for={id}>{t.method.country}</label>
      <div class="control">
        <select
          id={id}
          value={value}
          autoComplete={byAgent ? 'off' : 'billing country'}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {countries.map((code) => (
            <option key={code} value={code}>
              {names.of(code)}
            </option>
          ))}
        </select>
      </div>
      <ProblemLine id={id} problem={problem} fixed={fixed} />
    </div>
  );
}
