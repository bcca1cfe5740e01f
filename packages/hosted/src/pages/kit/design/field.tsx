/** Form controls. Label, hint and problem are associated with each control for assistive technology. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { latinDigits } from '@shared/plain.js';
import { reformat, type Format } from '../format/masked.js';
import { amountText, money, parseAmount } from '../format/money.js';
import { onLeaving } from './after-press.js';
import type { FieldBinding } from './form.js';
import { Icon } from './icons.js';

export interface TextFieldProps extends FieldBinding {
  label: string;
  /** Text at the end of the label's line, such as that the field is optional. */
  note?: string | undefined;
  hint?: string | undefined;
  /** Ids of other elements that describe the field. */
  describedBy?: string | undefined;
  /** Shows the hint as a placeholder instead of below the field. */
  placeholder?: string;
  /** Hides the label except from assistive technology, because the visible context names the field. */
  hideLabel?: boolean;
  type?: 'text' | 'tel' | 'date';
  /** Formats digits while the user types. */
  format?: Format;
  /** Runs before `format`, for example to accept the slash after a month. Return null to skip formatting. */
  prepare?: (value: string) => string | null;
  inputMode?: 'numeric' | 'decimal' | 'tel' | 'email';
  autoComplete: string;
  enterKeyHint?: 'next' | 'go' | 'done';
  autoCapitalize?: 'words';
  required?: boolean;
  min?: string;
  max?: string;
  maxLength?: number;
  /** Width in characters. */
  size?: number;
  prefix?: string | undefined;
  suffix?: ComponentChildren;
}

export function TextField(props: TextFieldProps) {
  const { id, label, note, hint, problem, fixed, prefix, suffix } = props;
  const onInput = useFormat(props);
  return (
    <div class={`field${problem ? ' has-problem' : ''}`}>
      {props.hideLabel !== true && (
        <label for={id}>
          {label}
          {note && <small> {note}</small>}
        </label>
      )}
      <div class="control" dir={prefix === undefined ? undefined : 'ltr'}>
        {prefix !== undefined && (
          <span class="prefix" aria-hidden="true" data-text={props.value}>
            {prefix}
          </span>
        )}
        <input
          id={id}
          // Preact types attributes per input type. These three types have the same attributes.
          type={(props.type as 'text' | undefined) ?? 'text'}
          value={props.value}
          placeholder={props.placeholder}
          inputMode={props.inputMode}
          dir={props.inputMode && 'ltr'}
          autoComplete={props.autoComplete}
          autoCapitalize={props.autoCapitalize ?? 'off'}
          autoCorrect="off"
          spellcheck={false}
          enterKeyHint={props.enterKeyHint ?? 'next'}
          required={props.required ?? true}
          min={props.min}
          max={props.max}
          maxLength={props.maxLength}
          size={props.size}
          aria-label={props.hideLabel === true ? label : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={idsOf(id, hint, problem, props.describedBy)}
          onInput={onInput}
          onBlur={(event) => onLeaving(event, props.onLeave)}
        />
        {suffix}
      </div>
      <Hint id={id} hint={hint} hidden={props.placeholder !== undefined} />
      <ProblemLine id={id} problem={problem} fixed={fixed} />
    </div>
  );
}

/** Returns a handler that formats what the user types, and takes the value. */
function useFormat({ value: shown, inputMode, format, prepare, onValue }: TextFieldProps) {
  const previous = useRef(shown);
  previous.current = shown;

  return (event: TargetedEvent<HTMLInputElement>): void => {
    const input = event.currentTarget;
    const { inputType = '', isComposing = false } = event as unknown as Partial<InputEvent>;
    const value = inputMode && !isComposing ? latinDigits(input.value) : input.value;
    const typed = prepare === undefined ? value : prepare(value);
    if (format === undefined || isComposing || typed === null) return onValue(value);

    const caret = (input.selectionStart ?? value.length) + typed.length - value.length;
    const next = reformat({ value: typed, caret, previous: previous.current, inputType }, format);
    input.value = next.value;
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret);
    onValue(next.value);
  };
}

function idsOf(
  id: string,
  hint: string | undefined,
  problem: string | undefined,
  other?: string,
): string | undefined {
  const ids = [other, hint && `${id}-hint`, problem && `${id}-problem`];
  return ids.filter(Boolean).join(' ') || undefined;
}

function Hint({ id, hint, hidden }: { id: string; hint: string | undefined; hidden?: boolean }) {
  return hint === undefined ? null : (
    <p class={hidden === true ? 'visually-hidden' : 'hint'} id={`${id}-hint`}>
      {hint}
    </p>
  );
}

interface ProblemLineProps {
  id: string;
  problem: string | undefined;
  /** A problem that has been fixed. Its empty line stays, so that nothing below it moves. */
  fixed?: string | undefined;
}

/** Has the id `<id>-problem`, for `aria-describedby`. */
export function ProblemLine({ id, problem, fixed }: ProblemLineProps) {
  if (problem === undefined) {
    return fixed === undefined ? null : (
      <p class="problem fixed" aria-hidden="true" data-text={fixed}>
        <Icon name="alert" />
      </p>
    );
  }
  return (
    <p class="problem" id={`${id}-problem`}>
      <Icon name="alert" />
      {problem}
    </p>
  );
}

interface CheckFieldProps extends Pick<FieldBinding, 'id' | 'value' | 'problem' | 'onValue'> {
  label: ComponentChildren;
  hint?: string | undefined;
  required?: boolean;
}

/** A checkbox whose value is `yes` or empty. */
export function CheckField({ id, label, hint, problem, value, onValue, required }: CheckFieldProps) {
  return (
    <div class={`check${problem ? ' has-problem' : ''}`}>
      <input
        id={id}
        type="checkbox"
        checked={value === 'yes'}
        required={required}
        aria-invalid={problem !== undefined}
        aria-describedby={idsOf(id, hint, problem)}
        onChange={(event) => onValue(event.currentTarget.checked ? 'yes' : '')}
      />
      <div>
        <label for={id}>{label}</label>
        <Hint id={id} hint={hint} />
        <ProblemLine id={id} problem={problem} />
      </div>
    </div>
  );
}

/** Fields that are disabled during a request. */
export function Fields({ disabled, children }: { disabled: boolean; children: ComponentChildren }) {
  return (
    <fieldset class="contents" role="none" disabled={disabled}>
      {children}
    </fieldset>
  );
}

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
