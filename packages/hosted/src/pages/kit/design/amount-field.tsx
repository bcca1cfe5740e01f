import { amountText, money, parseAmount } from '../format/money.js';
import { TextField, type TextFieldProps } from './field.js';

type AmountFieldProps = Omit<TextFieldProps, 'prefix' | 'suffix' | 'inputMode' | 'autoComplete'>;

/**
 * An amount in dollars. Formatted when the field loses focus: `12` becomes `12.00`. The currency sign is where the
 * language puts it.
 */
export function AmountField(props: AmountFieldProps) {
  // Arabic amounts end with the sign too, but on the left: they begin with a mark of direction.
  const isSignLast = /^\d.*\$/.test(money(0));
  return (
    <TextField
      {...props}
      onLeave={() => {
        const cents = parseAmount(props.value);
        if (cents !== null) props.onValue(amountText(cents));
        props.onLeave();
      }}
      prefix={isSignLast ? undefined : '$'}
      suffix={
        isSignLast && (
          <span class="sign" aria-hidden="true">
            {'\u00a0$'}
          </span>
        )
      }
      inputMode="decimal"
      autoComplete="off"
    />
  );
}
