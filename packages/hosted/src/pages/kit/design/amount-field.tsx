import { amountText, parseAmount } from '../format/money.js';
import { TextField, type TextFieldProps } from './field.js';

type AmountFieldProps = Omit<TextFieldProps, 'prefix' | 'inputMode' | 'autoComplete'>;

/** An amount in dollars. Formatted when the field loses focus: `12` becomes `12.00`. */
export function AmountField(props: AmountFieldProps) {
  return (
    <TextField
      {...props}
      onLeave={() => {
        const cents = parseAmount(props.value);
        if (cents !== null) props.onValue(amountText(cents));
        props.onLeave();
      }}
      prefix="$"
      inputMode="decimal"
      autoComplete="off"
    />
  );
}
