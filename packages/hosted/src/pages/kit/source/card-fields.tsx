import { brandOf, BRANDS, securityCodeLength } from '@shared/card.js';
import { DEFAULT_COUNTRY } from '@shared/limits.js';
import type { PaymentPageSession } from '@shared/page.js';
import { BrandMark } from '../design/brand-mark.js';
import { ProblemLine, TextField } from '../design/field.js';
import type { FieldBinding, Form } from '../design/form.js';
import { formatCardNumber } from '../format/card.js';
import { formatExpiry, maskable, tidyExpiry } from '../format/expiry.js';
import { locale } from '../format/locale.js';
import { digitsOf } from '../format/masked.js';
import { t } from '../text/index.js';
import { asksPostcode, countryOf, formatZip, zipOnly } from './source-form.js';

/** Shown before the payer types. Most cards have one of these brands. */
const COMMON_BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const;

interface CardFieldsProps {
  form: Form;
  session: Pick<PaymentPageSession, 'countries'>;
  byAgent: boolean | undefined;
}

/** The fields of a new card. */
export function CardFields({ form, session: { countries = [] }, byAgent }: CardFieldsProps) {
  const number = digitsOf(form.values['cardNumber'] ?? '');
  const asksCountry = countries.length > 1;
  /** @param secret a field whose text Chromium would save to disk, to restore tabs, unless autofill is off */
  const fill = (kind: string, secret = ''): string => (byAgent || form.values[secret] ? 'off' : kind);
  const holder = (
    <TextField
      {...form.field('name')}
      label={t.method.nameOnCard}
      autoComplete={fill('cc-name')}
      autoCapitalize="words"
    />
  );
  return (
    <div class="fields">
      <TextField
        {...form.field('cardNumber')}
        label={t.method.cardNumber}
        placeholder="1234 1234 1234 1234"
        format={formatCardNumber}
        inputMode="numeric"
        autoComplete={fill('cc-number', 'cardNumber')}
        suffix={<Brands number={number} />}
      />
      <div class="pair">
        <ExpiryField {...form.field('expiry')} autoComplete={fill('cc-exp')} />
        <CodeField
          {...form.field('securityCode')}
          number={number}
          autoComplete={fill('cc-csc', 'securityCode')}
        />
      </div>
      {asksCountry && holder}
      <div class="pair wide">
        {asksCountry ? <CountryField form={form} countries={countries} byAgent={byAgent} /> : holder}
        {asksPostcode(form.values) && (
          <PostcodeField form={form} autoComplete={fill('billing postal-code')} />
        )}
      </div>
    </div>
  );
}

/** The brand of the number, or the common brands before the payer types. */
function Brands({ number }: { number: string }) {
  if (number === '')
    return (
      <span class="marks">
        {COMMON_BRANDS.map((each) => (
          <BrandMark key={each} brand={each} />
        ))}
      </span>
    );

  const brand = brandOf(number);
  return <BrandMark brand={brand} name={brand && BRANDS[brand].name} />;
}

type CardFieldProps = FieldBinding & { autoComplete: string };

export function ExpiryField(field: CardFieldProps) {
  return (
    <TextField
      {...field}
      label={t.method.expiry}
      hint={t.method.expiryHint}
      placeholder={t.method.expiryHint}
      format={formatExpiry}
      prepare={maskable}
      onLeave={() => {
        field.onValue(tidyExpiry(field.value));
        field.onLeave();
      }}
      inputMode="numeric"
    />
  );
}

function CodeField({ number, ...field }: CardFieldProps & { number: string }) {
  const length = securityCodeLength(number);
  const isAmex = length === 4;
  return (
    <TextField
      {...field}
      label={t.method.securityCode}
      hint={isAmex ? t.method.securityCodeHintAmex : t.method.securityCodeHint}
      placeholder={isAmex ? '1234' : '123'}
      format={(digits) => digits.slice(0, number === '' ? 4 : length)}
      inputMode="numeric"
    />
  );
}

function PostcodeField({ form, autoComplete }: { form: Form; autoComplete: string }) {
  const home = countryOf(form.values) === DEFAULT_COUNTRY;
  return (
    <TextField
      {...form.field('zipCode')}
      label={home ? t.method.zip : t.method.postcode}
      {...(home && { format: formatZip, prepare: zipOnly, inputMode: 'numeric' })}
      autoComplete={autoComplete}
      enterKeyHint="go"
    />
  );
}

interface CountryFieldProps {
  form: Form;
  /** In the merchant's order. */
  countries: readonly string[];
  byAgent: boolean | undefined;
}

/** Shown if the business unit has more than one country. */
function CountryField({ form, countries, byAgent }: CountryFieldProps) {
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
