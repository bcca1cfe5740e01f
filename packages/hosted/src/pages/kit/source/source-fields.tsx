/** Lets the payer choose a new card, a new bank account or a saved method, and shows the fields of a new one. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { PaymentMethod, PaymentPageSession, SavedMethod } from '@shared/page.js';
import { Parts } from '../design/account.js';
import { ProblemLine } from '../design/field.js';
import { fieldId, type FieldBinding, type Form } from '../design/form.js';
import { Icon } from '../design/icons.js';
import { t } from '../text/index.js';
import { BankFields } from './bank-fields.js';
import { CardFields } from './card-fields.js';
import { MethodMark } from './method-mark.js';
import { detailsOf, isUnusable, methodName } from './saved-method.js';
import { CHOICE, defaultFirst, type Choice } from './source-form.js';

/** What the session accepts. */
type Offer = Pick<PaymentPageSession, 'methods' | 'countries' | 'now'>;

interface SourceFieldsProps {
  form: Form;
  session: Offer;
  saved: readonly SavedMethod[];
  /** An agent types for the payer, so the browser must not autofill or remember these fields. */
  byAgent?: boolean;
  /** Replaces the default heading of the group. */
  legend?: string;
  /** Hides the choice, because the payer re-enters a specific card. */
  isFixed?: boolean;
  /** Focuses the first available method. Set when the payer wants to change it. */
  focused?: boolean;
}

export function SourceFields(props: SourceFieldsProps) {
  const { form, session, saved, byAgent, legend, isFixed, focused } = props;
  const choice = form.field(CHOICE);
  const fields = useRef<HTMLDivElement>(null);
  const shown = useRef(choice.value);
  // Scroll the fields of the selected method into view.
  useLayoutEffect(() => {
    if (shown.current !== choice.value) fields.current?.scrollIntoView({ block: 'nearest' });
    shown.current = choice.value;
  }, [choice.value]);
  useEffect(() => {
    if (focused === true) document.querySelector<HTMLElement>(`[name=${CHOICE}]:enabled`)?.focus();
  }, [focused]);

  const Fields = isNew(choice.value) ? NEW[choice.value].Fields : null;
  return (
    <fieldset class="source" aria-describedby={choice.problem && `${choice.id}-problem`}>
      <legend>{legend ?? t.method.legend}</legend>
      {!isFixed && <Choices choice={choice} session={session} saved={defaultFirst(saved)} />}
      <ProblemLine {...choice} />
      <div ref={fields}>{Fields && <Fields form={form} session={session} byAgent={byAgent} />}</div>
    </fieldset>
  );
}

interface ChoicesProps extends Pick<SourceFieldsProps, 'session' | 'saved'> {
  choice: FieldBinding;
}

/** One radio button per saved method, then one per kind of new method. */
function Choices({ choice, session: { methods, now }, saved }: ChoicesProps) {
  const hasSaved = saved.length > 0;
  return (
    <div id={choice.id} class="choices" data-count={hasSaved ? undefined : methods.length}>
      {saved.map((method) => (
        <MethodRadio
          key={method.id}
          choice={choice}
          value={`saved:${method.id}`}
          name={methodName(method)}
          hint={detailsOf(method, method.isDefault && t.method.isDefault, now)}
          unusable={isUnusable(method, now)}
          mark={<MethodMark {...method} />}
        />
      ))}
      {methods.map((method) => (
        <MethodRadio
          key={method}
          choice={choice}
          value={method}
          name={hasSaved ? NEW[method].besideSaved() : NEW[method].alone()}
          mark={
            hasSaved && (
              <span class="mark" aria-hidden="true">
                <Icon name="plus" />
              </span>
            )
          }
        />
      ))}
    </div>
  );
}

type NewProps = Pick<SourceFieldsProps, 'form' | 'session'> & { byAgent: boolean | undefined };

interface NewMethod {
  readonly alone: () => string;
  readonly besideSaved: () => string;
  readonly Fields: (props: NewProps) => ComponentChildren;
}

/** Labels for adding a new method of each kind. */
const NEW: Readonly<Record<PaymentMethod, NewMethod>> = {
  'Credit Card': {
    alone: () => t.method.card,
    besideSaved: () => t.method.newCard,
    Fields: CardFields,
  },
  ACH: {
    alone: () => t.method.bank,
    besideSaved: () => t.method.newBank,
    Fields: BankFields,
  },
};

export function isNew(choice: string): choice is PaymentMethod {
  return Object.hasOwn(NEW, choice);
}

interface MethodRadioProps {
  choice: FieldBinding;
  value: Choice;
  name: string;
  hint?: readonly string[];
  /** Shown but disabled. */
  unusable?: boolean;
  mark: ComponentChildren;
}

function MethodRadio({ choice, value, name, hint, unusable, mark }: MethodRadioProps) {
  const id = fieldId(value);
  return (
    <label class={`choice${unusable === true ? ' unusable' : ''}`}>
      <input
        id={id}
        type="radio"
        name={CHOICE}
        value={value}
        checked={choice.value === value}
        disabled={unusable}
        aria-labelledby={`${id}-name`}
        aria-describedby={hint?.length ? `${id}-hint` : undefined}
        onChange={() => choice.onValue(value)}
      />
      {mark}
      <span class="choice-text">
        <span id={`${id}-name`}>{name}</span>
        {hint?.length ? (
          <small id={`${id}-hint`}>
            <Parts of={hint} />
          </small>
        ) : null}
      </span>
    </label>
  );
}
